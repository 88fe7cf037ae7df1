# Writes the figures of reference.txt, with the package BradleyTerry2 (Turner and Firth
# 2012) and with a likelihood of its own for ties of more than two:
#
#	Rscript reference.R > reference.txt
#
# A line "name match a b n" is n matches that a won against b; "name rank r1 r2 ..." the
# ranks of all players in one match, 0 for those that did not play; "name estimate p x
# s" the strength x of player p and its standard error s, both relative to the mean; and
# "name tie n x" the logarithm of the parameter of ties of n players.
suppressPackageStartupMessages(library(BradleyTerry2))

center <- function(name, x, v) {
  n <- length(x)
  m <- diag(n) - 1 / n
  s <- sqrt(diag(m %*% v %*% t(m)))
  for (i in seq_len(n)) cat(name, "estimate", i - 1, sprintf("%.8f %.8f", x[i] - mean(x), s[i]), "\n")
}

bradley.terry <- function(name, first, second, won, lost) {
  players <- levels(first)
  for (i in seq_along(first)) {
    a <- as.integer(first[i]) - 1
    b <- as.integer(second[i]) - 1
    if (won[i] > 0) cat(name, "match", a, b, won[i], "\n")
    if (lost[i] > 0) cat(name, "match", b, a, lost[i], "\n")
  }
  fit <- BTm(cbind(won, lost), first, second, control = list(epsilon = 1e-14, maxit = 100))
  n <- length(players)
  v <- matrix(0, n, n)
  v[-1, -1] <- vcov(fit)
  center(name, c(0, coef(fit)), v)
}

# Agresti, Categorical Data Analysis (2002), page 438: the American League in 1987.
bradley.terry("baseball", baseball$home.team, baseball$away.team, baseball$home.wins, baseball$away.wins)

# Stigler (1994), Agresti (2002), page 448: citations between journals of statistics.
cites <- countsToBinomial(citations)
bradley.terry("citations", cites$player1, cites$player2, cites$win1, cites$win2)

# Rankings with ties, of the tests of the package PlackettLuce (test-ties.R), by a
# likelihood that adds up all sets, and a general optimizer.
rankings <- rbind(c(1, 2, 0, 0), c(4, 1, 2, 3), c(2, 1, 1, 1), c(1, 2, 3, 0), c(2, 1, 3, 0), c(1, 0, 3, 2), c(1, 1, 1, 1))
for (i in seq_len(nrow(rankings))) cat("ties", "rank", rankings[i, ], "\n")
orders <- c(3, 4)
log.likelihood <- function(v) {
  strength <- c(0, v[1:3])
  tie <- c(0, -Inf, v[4:5])
  sum <- 0
  for (i in seq_len(nrow(rankings))) {
    rest <- which(rankings[i, ] > 0)
    while (length(rest) > 1) {
      weight <- function(set) exp(tie[length(set)] + mean(strength[set]))
      best <- rest[rankings[i, rest] == min(rankings[i, rest])]
      total <- 0
      for (n in seq_along(rest)) total <- total + sum(apply(combn(rest, n), 2, weight))
      sum <- sum + log(weight(best) / total)
      rest <- setdiff(rest, best)
    }
  }
  -sum
}
fit <- optim(rep(0, 5), log.likelihood, method = "BFGS", hessian = TRUE, control = list(reltol = 1e-16, maxit = 1000))
v <- matrix(0, 4, 4)
v[-1, -1] <- solve(fit$hessian)[1:3, 1:3]
center("ties", c(0, fit$par[1:3]), v)
for (i in 1:2) cat("ties", "tie", orders[i], sprintf("%.8f", fit$par[3 + i]), "\n")
