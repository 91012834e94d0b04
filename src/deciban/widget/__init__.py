"""Live pictures: belief bars that answer to a click, in a notebook and in a page of their own."""
