"""
The Monte Carlo model of solar-api in vectorised NumPy: whole columns at a time, in chunks that stay in the cache,
with NumPy's Philox generator and its ziggurat normals, which are quicker than an inverse distribution function.

    numpy_model.py random TRIALS SEED SECONDS SITE...

Arguments and answer are those of model.c; the trials are others, because NumPy draws in another order.
"""

import json
import sys
import time

import numpy as np

FIELDS = (
    "production consumption rate self_use export_rate degradation escalation cost om inverter om_growth"
    " discount_rate years inverter_year"
).split()
SHARES = [5, 10, 25, 50, 75, 90, 95]
# The quickest of 1,024, 2,048, 4,096, 8,192 and 16,384: larger columns leave the first caches.
CHUNK = 4096


class Model:
    def __init__(self, site):
        self.site = site
        self.years = int(site["years"])
        self.size = site["consumption"] / site["production"]
        year = np.arange(1, self.years + 1)
        self.discounts = (1 + site["discount_rate"]) ** -year
        self.om = self.size * site["om_growth"] ** (year - 1.0)
        self.new_inverter = np.where(year == int(site["inverter_year"]), self.om, 0.0)

    def draw(self, generator, count):
        s = self.site
        z = generator.standard_normal((8 if s["self_use"] < 1 else 7, count))
        production = self.size * np.maximum(s["production"] * (1 + 0.07 * z[0]), 0.3 * s["production"])
        keep = 1 - np.minimum(s["degradation"] * np.exp(0.5 * z[1]), 0.05)
        growth = 1 + np.clip(s["escalation"] + 0.01 * z[2], -0.05, 0.12)
        cost = s["cost"] * np.exp(0.12 * z[3])
        om = s["om"] * np.exp(0.3 * (0.3 * z[3] + np.sqrt(1 - 0.3**2) * z[4]))
        export_rate = s["export_rate"] * np.exp(0.25 * z[5])
        inverter = s["inverter"] * np.exp(0.25 * z[6])
        self_use = np.clip(s["self_use"] + 0.08 * z[7], 0, 1) if s["self_use"] < 1 else 1.0
        return production, keep, growth, 1000 * self.size * cost, om, export_rate, inverter, self_use

    def run(self, generator, npv, lifetime, payback, year1):
        """One pass over the years for all four results, which is quicker than closed forms and a loop for payback."""
        consumption = self.site["consumption"]
        drawn = self.draw(generator, len(npv))
        production, keep, growth, investment, om, export_rate, inverter, self_use = drawn
        offered = production * self_use
        rate = np.full_like(npv, self.site["rate"])
        bought, sold, bought_growth = offered * rate, (production - offered) * export_rate, keep * growth
        balance, flow, spare = -investment, np.empty_like(npv), np.empty_like(npv)
        np.copyto(npv, balance)
        payback.fill(np.inf)
        unpaid = np.ones(len(npv), bool)
        has_surplus = bool((offered > consumption).any())
        for year in range(self.years):
            np.add(bought, sold, out=flow)
            if has_surplus:
                over = np.flatnonzero(offered > consumption)
                flow[over] -= (offered[over] - consumption) * (rate[over] - export_rate[over])
                has_surplus = len(over) > 0
                offered *= keep
                rate *= growth
            if year == 0:
                np.copyto(year1, flow)
            flow -= np.multiply(om, self.om[year], out=spare)
            if self.new_inverter[year]:
                flow -= inverter * self.new_inverter[year]
            balance += flow
            npv += np.multiply(flow, self.discounts[year], out=spare)
            first = np.flatnonzero((balance >= 0) & unpaid)
            if len(first):
                payback[first] = year + 1 - balance[first] / flow[first]
                unpaid[first] = False
            bought *= bought_growth
            sold *= keep
        np.copyto(lifetime, balance)


def describe(values):
    finite = values[np.isfinite(values)]
    with np.errstate(invalid="ignore"):
        found = [float(x) for x in np.percentile(values, SHARES)]
    return {
        "mean": float(finite.mean()),
        "standardDeviation": float(finite.std(ddof=1)),
        "percentiles": [x if np.isfinite(x) else None for x in found],
    }


def main():
    _, trials, seed, seconds, *site = sys.argv[1:]
    trials, seconds = int(trials), float(seconds)
    model = Model(dict(zip(FIELDS, map(float, site), strict=True)))
    out = np.empty((4, trials))
    times = []
    start = time.process_time()
    while not times or time.process_time() - start < seconds:
        generator = np.random.Generator(np.random.Philox(int(seed)))
        before = time.process_time()
        for first in range(0, trials, CHUNK):
            model.run(generator, *out[:, first : first + CHUNK])
        times.append((time.process_time() - before) / trials * 1e9)
    names = ["npv", "lifetimeNetSavings", "paybackYears", "year1Savings"]
    print(json.dumps({"nsPerTrial": times} | {name: describe(out[k]) for k, name in enumerate(names)}))


main()
