# Writes values.json: what R says of iris, HouseVotes84, penguins and Adult. See README.md.
#
#   Rscript tests/parity/r/make_values.R [folder of tables] [file to write]
#
# e1071 is run. klaR and naivebayes are not in Debian, and caret's "nb" only calls klaR::NaiveBayes: for these, what
# they compute is written out below in base R. Only numbers that R computed are stored, no rows of the data.

suppressPackageStartupMessages(library(e1071))
invisible(Sys.setlocale("LC_COLLATE", "C"))  # the order of classes

here <- dirname(sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE)))
given <- commandArgs(TRUE)
tables <- if (length(given) >= 1) given[1] else file.path(here, "../../../../shared/data/tables")
target <- if (length(given) >= 2) given[2] else file.path(here, "values.json")

read <- function(name, missing) {
  read.csv(gzfile(file.path(tables, paste0(name, ".csv.gz"))), na.strings = missing, stringsAsFactors = TRUE)
}

# e1071 ---------------------------------------------------------------------------------------------------------------

# The model as deciban estimates it: variances with n in place of n - 1.
with_n <- function(model, x, y) {
  for (name in names(x)[sapply(x, is.numeric)]) {
    n <- tapply(!is.na(x[[name]]), y, sum)
    model$tables[[name]][, 2] <- model$tables[[name]][, 2] * sqrt((n - 1) / n)
  }
  model
}

# Every k-th row is stored: tables may be sorted by class.
every <- c(iris = 2, votes = 3, penguins = 4, adult = 5)
some <- function(name, n) seq(1, n, by = every[[name]])

posterior <- function(model, rows, ...) unname(predict(model, rows, type = "raw", ...))

# default: as users call it.
# n:       variances with n, and what is 0 stays as good as 0 (threshold 1e-300, for 0 itself gives NaN).
run <- function(x, y, rows, laplace) {
  model <- naiveBayes(x, y, laplace = laplace)
  list(
    default = posterior(model, rows),
    n = posterior(with_n(model, x, y), rows, threshold = 1e-300)
  )
}

describe <- function(x, y, laplace = 0) {
  model <- naiveBayes(x, y, laplace = laplace)
  lapply(model$tables, function(table) {
    if (is.null(colnames(table))) list(mean = unname(table[, 1]), sd = unname(table[, 2]))
    else list(states = colnames(table), p = unname(matrix(table, nrow(table))))
  })
}

accuracy <- function(x, y, rows, truth, laplace) {
  mean(predict(naiveBayes(x, y, laplace = laplace), rows) == truth)
}

# klaR and naivebayes, written out from their sources (README.md) -----------------------------------------------------

normalize <- function(joint) unname(t(apply(joint, 1, function(l) exp(l - max(l)) / sum(exp(l - max(l))))))

# densities: for each column a function (values, class) -> p; missing values say nothing.
combine <- function(x, y, density_of, adjust) {
  joint <- matrix(log(table(y) / length(y)), nrow(x), nlevels(y), byrow = TRUE)
  for (name in names(x)) for (j in seq_len(nlevels(y))) {
    p <- adjust(density_of(x[[name]], x[[name]][y == levels(y)[j]]))
    joint[, j] <- joint[, j] + ifelse(is.na(x[[name]]), 0, log(p))
  }
  normalize(joint)
}

known <- function(values) values[!is.na(values)]
normal <- function(at, values) dnorm(at, mean(known(values)), sd(known(values)))
kernel_exact <- function(at, values) {  # (1/n) sum of dnorm(at, value, h), h = bw.nrd0
  values <- known(values)
  sapply(at, function(a) mean(dnorm(a, values, bw.nrd0(values))))
}
kernel_interpolated <- function(at, values) {  # naivebayes: between the 512 points of density()
  d <- density(known(values))
  approx(d$x, d$y, xout = at, rule = 2, ties = "ordered")$y
}
kernel_nearest <- function(at, values) {  # klaR::dkernel: at the nearest of the 512 points of density()
  d <- density(known(values))
  sapply(at, function(a) if (is.na(a)) NA else d$y[which.min((d$x - a)^2)])
}
poisson <- function(at, values) dpois(at, mean(known(values)))

as_is <- function(p) p
floor_all <- function(p) pmax(p, 0.001)                # klaR: whatever is below threshold, in whatever unit
replace_zero <- function(p) ifelse(p <= 0, 0.001, p)   # naivebayes, e1071: only what underflowed to 0

formulas <- function(x, y, shown) list(
  gaussian = list(
    naivebayes = combine(x, y, normal, replace_zero)[shown, ],
    klaR = combine(x, y, normal, floor_all)[shown, ]
  ),
  kernel = list(
    bw = unname(sapply(x, function(column) tapply(column, y, function(v) bw.nrd0(known(v))))),
    exact = combine(x, y, kernel_exact, as_is)[shown, ],
    naivebayes = combine(x, y, kernel_interpolated, replace_zero)[shown, ],
    klaR = combine(x, y, kernel_nearest, floor_all)[shown, ]
  )
)

# The data ------------------------------------------------------------------------------------------------------------

measures <- iris[, 1:4]
shown <- some("iris", nrow(iris))
setosa <- iris$Petal.Length[iris$Species == "setosa"]
without <- posterior(naiveBayes(measures, iris$Species), measures)
iris_values <- list(
  classes = levels(iris$Species),
  tables = describe(measures, iris$Species),
  laplace0 = run(measures, iris$Species, measures[shown, ], 0),
  laplace_matters = !identical(without, posterior(naiveBayes(measures, iris$Species, laplace = 1), measures)),
  formulas = formulas(measures, iris$Species, shown),
  setosa_density_at_5_cm = list(
    exact = kernel_exact(5, setosa), naivebayes = kernel_interpolated(5, setosa), klaR = kernel_nearest(5, setosa)
  ),
  petal_of_10_cm = posterior(naiveBayes(iris["Petal.Length"], iris$Species), data.frame(Petal.Length = 10))
)

votes <- read("votes", "?")
stopifnot(nrow(votes) == 435, sum(is.na(votes)) == 392)  # mlbench's HouseVotes84, value for value
shown <- some("votes", nrow(votes))
votes_values <- list(
  classes = levels(votes$party),
  tables0 = describe(votes[-1], votes$party, 0),
  tables1 = describe(votes[-1], votes$party, 1),
  laplace0 = run(votes[-1], votes$party, votes[shown, -1], 0),
  laplace1 = run(votes[-1], votes$party, votes[shown, -1], 1)
)

penguins <- read("penguins", c("", "NA"))
mixed <- penguins[-1]
numbers <- mixed[sapply(mixed, is.numeric)]
kilograms <- transform(numbers, body_mass_g = body_mass_g / 1000)
shown <- some("penguins", nrow(penguins))
klaR_mass <- function(x) combine(x["body_mass_g"], penguins$species, normal, floor_all)
penguins_values <- list(
  classes = levels(penguins$species),
  tables0 = describe(mixed, penguins$species, 0),
  tables1 = describe(mixed, penguins$species, 1),
  laplace0 = run(mixed, penguins$species, mixed[shown, ], 0),
  laplace1 = run(mixed, penguins$species, mixed[shown, ], 1),
  zero_threshold_is_nan = anyNA(posterior(naiveBayes(mixed, penguins$species), mixed, threshold = 0)),
  formulas = formulas(numbers, penguins$species, shown),
  klaR_body_mass = list(grams = klaR_mass(numbers)[1, ], kilograms = klaR_mass(kilograms)[1, ])
)

adult <- read("adult", "?")
train <- droplevels(adult[adult$split == "train", -1])
test <- adult[adult$split == "test", -1]
x <- train[names(train) != "income"]
shown <- some("adult", 500)
rows <- test[shown, names(x)]
rich <- test[test$capital_gain == 99999, ]
counts <- c("age", "education_num", "hours_per_week")
adult_values <- list(
  classes = levels(train$income),
  tables1 = describe(x, train$income, 1),
  laplace0 = run(x, train$income, rows, 0),
  laplace1 = run(x, train$income, rows, 1),
  accuracy = list(laplace1 = accuracy(x, train$income, test, test$income, 1)),
  gain_99999 = list(
    rows = nrow(rich), over_50K = sum(rich$income == ">50K"),
    said_over_50K = sum(predict(naiveBayes(x, train$income, laplace = 1), rich) == ">50K")
  ),
  poisson = list(
    mean = unname(sapply(train[counts], function(column) tapply(column, train$income, mean))),
    posterior = combine(train[counts], train$income, poisson, replace_zero)[shown, ]
  )
)

# Small made-up tables, for the ways in which e1071 fails.
colours <- c("red", "red", "blue", "blue"); groups <- factor(c("a", "a", "b", "b"))
as_text <- naiveBayes(data.frame(v = colours, stringsAsFactors = FALSE), groups, laplace = 1)
lone <- naiveBayes(data.frame(v = c(1, 2, 3, 9)), factor(c("a", "a", "a", "b")))
failures <- list(
  text_row_sums = unname(rowSums(as_text$tables$v)),
  lone_row_is_nan = all(is.na(posterior(lone, data.frame(v = c(2, 9))))),
  constant = posterior(naiveBayes(data.frame(v = c(5, 5, 5, 4.9, 5.1, 5.2)), factor(c("a", "a", "a", "b", "b", "b"))),
                       data.frame(v = c(5, 5.001, 5.01)))
)

values <- list(
  made_with = list(R = as.character(getRversion()), e1071 = as.character(packageVersion("e1071"))),
  every = as.list(every),
  iris = iris_values, votes = votes_values, penguins = penguins_values, adult = adult_values, failures = failures
)
# 15 digits are all that a double holds for certain.
writeLines(jsonlite::toJSON(values, digits = NA, auto_unbox = TRUE, na = "null"), target)
