/** Exact answers of queueing theory, for a mean run time of 1; the simulator is held against them. */

/** Erlang's C formula: probability that a task finds all n servers busy, Poisson arrivals, exponential runs. */
export function erlangC(servers: number, utilisation: number): number {
  const offered = servers * utilisation
  // Erlang B by its recursion, which no factorial can overflow.
  let blocked = 1
  for (let k = 1; k <= servers; k++) blocked = (offered * blocked) / (k + offered * blocked)
  return blocked / (1 - utilisation * (1 - blocked))
}

/** Mean response time of M/M/n. */
export function multiServerMean(servers: number, utilisation: number): number {
  return 1 + erlangC(servers, utilisation) / (servers * (1 - utilisation))
}

/** Quantile of the response time of M/M/n, by bisection of its tail: a wait of rate theta, then a run of rate 1. */
export function multiServerQuantile(servers: number, utilisation: number, fraction: number): number {
  const waits = erlangC(servers, utilisation)
  const theta = servers * (1 - utilisation)
  const tail = (t: number): number => {
    const waited =
      Math.abs(theta - 1) < 1e-9 ? (1 + t) * Math.exp(-t) : (theta * Math.exp(-t) - Math.exp(-theta * t)) / (theta - 1)
    return (1 - waits) * Math.exp(-t) + waits * waited
  }
  let low = 0
  let high = 10_000
  for (let round = 0; round < 100; round++) {
    const middle = (low + high) / 2
    if (tail(middle) > 1 - fraction) low = middle
    else high = middle
  }
  return low
}

/** Supermarket model: mean response of the best of d random choices among infinitely many servers. */
export function supermarketMean(choices: number, utilisation: number): number {
  let sum = 0
  for (let i = 1; i < 200; i++) sum += utilisation ** ((choices ** i - choices) / (choices - 1))
  return sum
}

/** Pollaczek-Khinchine: mean response of M/G/1 with mean run 1 and this squared coefficient of variation. */
export function singleServerMean(utilisation: number, squaredVariation: number): number {
  return 1 + (utilisation * (1 + squaredVariation)) / (2 * (1 - utilisation))
}

/**
 * Mean response when Poisson tasks are dealt to n exponential servers in turn: each server is E_n/M/1. The root
 * sigma of sigma = (n rho / (n rho + 1 - sigma))^n in (0, 1) gives 1 / (1 - sigma).
 */
export function roundRobinMean(servers: number, utilisation: number): number {
  const rate = servers * utilisation
  let sigma = utilisation
  for (let round = 0; round < 10_000; round++) sigma = (rate / (rate + 1 - sigma)) ** servers
  return 1 / (1 - sigma)
}

/** The p-quantile of that response, which is exponential. */
export function roundRobinQuantile(servers: number, utilisation: number, fraction: number): number {
  return -Math.log(1 - fraction) * roundRobinMean(servers, utilisation)
}
