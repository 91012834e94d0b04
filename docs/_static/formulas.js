/* Formulas that are wider than the screen scroll; make those reachable by keyboard, as the theme does for code. */

function addTabStops() {
  document.querySelectorAll(".formula").forEach((formula) => {
    formula.toggleAttribute("tabindex", false);
    if (formula.scrollWidth > formula.clientWidth) formula.tabIndex = 0;
  });
}

window.addEventListener("load", addTabStops);
window.addEventListener("resize", addTabStops);
