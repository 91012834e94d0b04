# Prints what bnlearn's hc and tabu find on the samples: time, arcs, BIC. bnlearn must be installed (it is in CRAN).
#
#   Rscript tests/parity/r/make_structures.R [folder of samples]

suppressPackageStartupMessages(library(bnlearn))

here <- dirname(sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE)))
given <- commandArgs(TRUE)
samples <- if (length(given) >= 1) given[1] else file.path(here, "../../../../shared/data/nets")

read <- function(name, discrete) {
  table <- read.csv(gzfile(file.path(samples, paste0(name, ".sample.csv.gz"))), na.strings = character(),
                    colClasses = if (discrete) "factor" else "numeric")
  table
}

report <- function(name, rows, discrete = TRUE) {
  table <- droplevels(head(read(name, discrete), rows))
  type <- if (discrete) "bic" else "bic-g"
  for (method in c("hc", "tabu")) {
    seconds <- median(replicate(5, system.time(found <<- get(method)(table, score = type))[["elapsed"]]))
    cat(sprintf("%s %d %s %.3f s %d arcs %s = %.4f\n", name, rows, method, seconds, narcs(found), type,
                score(found, table, type = type)))
  }
}

report("learning.test", 5000)
report("gaussian.test", 5000, discrete = FALSE)
for (name in c("alarm", "insurance", "hailfinder")) for (rows in c(5000, 20000)) report(name, rows)
