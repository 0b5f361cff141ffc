/*
 * The Monte Carlo model of solar-api as a plain scalar C program, one trial after the other: what a compiler
 * makes of the same work. Build: cc -O3 -march=native model.c -lm (no -ffast-math).
 *
 *   model METHOD TRIALS SEED SECONDS SITE...
 *
 * METHOD is random (Philox4x32-10) or sobol (the scrambled Joe-Kuo points of the engine, in 8 randomisations).
 * SITE is production, consumption, utility rate, self-consumption, export rate, degradation, escalation, cost per
 * watt, O&M, inverter cost, O&M growth, discount rate, years, year of the new inverter. Prints one line of JSON:
 * CPU nanoseconds per trial, for each repetition within SECONDS, and the results, which the benchmark compares.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { DIMENSIONS = 8, REPLICATES = 8, WORDS = 33, PERCENTILES = 7, OUTPUTS = 4 };
enum { PRODUCTION, DEGRADATION, ESCALATION, COST, OM, SELF, EXPORT, INVERTER };
enum { TRIALS_STREAM = 0, SOBOL_STREAM = 1 };

typedef struct {
  double production, consumption, rate, self, export_rate, degradation, escalation, cost, om, inverter;
  double om_growth, discount_rate;
  int years, inverter_year;
  /* derived */
  double size, discount, maintenance[2], replacement[2], new_inverter;
} Site;

/* ---- random numbers ---- */

static inline void philox(uint64_t key, uint32_t c0, uint32_t c2, uint32_t c3, uint32_t out[4]) {
  uint32_t c1 = 0, k0 = (uint32_t)key, k1 = (uint32_t)(key >> 32);
  for (int round = 0; round < 10; round++) {
    uint64_t p0 = (uint64_t)0xd2511f53u * c0, p1 = (uint64_t)0xcd9e8d57u * c2;
    c0 = (uint32_t)(p1 >> 32) ^ c1 ^ k0;
    c1 = (uint32_t)p1;
    c2 = (uint32_t)(p0 >> 32) ^ c3 ^ k1;
    c3 = (uint32_t)p0;
    k0 += 0x9e3779b9u;
    k1 += 0xbb67ae85u;
  }
  out[0] = c0; out[1] = c1; out[2] = c2; out[3] = c3;
}

/* Joe and Kuo, new-joe-kuo-6: degree, coefficients, first direction integers of dimensions 1..7. */
static const struct { int degree; uint32_t coefficients, first[5]; } polynomials[DIMENSIONS] = {
  {0, 0, {0}},       {1, 0, {1}},          {2, 1, {1, 3}},       {3, 1, {1, 3, 1}},
  {3, 2, {1, 1, 1}}, {4, 1, {1, 1, 3, 3}}, {4, 4, {1, 3, 5, 13}}, {5, 2, {1, 1, 5, 5, 17}},
};

static void plain_directions(int dimension, uint32_t v[32]) {
  int degree = polynomials[dimension].degree;
  for (int bit = 0; bit < 32; bit++) {
    if (dimension == 0) { v[bit] = 1u << (31 - bit); continue; }
    if (bit < degree) { v[bit] = polynomials[dimension].first[bit] << (31 - bit); continue; }
    v[bit] = v[bit - degree] ^ (v[bit - degree] >> degree);
    for (int term = 1; term < degree; term++)
      if ((polynomials[dimension].coefficients >> (degree - 1 - term)) & 1) v[bit] ^= v[bit - term];
  }
}

/* A random lower-triangular matrix and a digital shift (Matousek) per randomisation and dimension. */
static void scrambled_directions(uint64_t key, uint32_t out[REPLICATES][DIMENSIONS][WORDS]) {
  for (int unit = 0; unit < REPLICATES * DIMENSIONS; unit++) {
    uint32_t random[36], plain[32], *target = out[unit / DIMENSIONS][unit % DIMENSIONS];
    for (int at = 0; at < 36; at += 4) philox(key, unit, at / 4, SOBOL_STREAM, random + at);
    plain_directions(unit % DIMENSIONS, plain);
    for (int bit = 0; bit < 32; bit++) {
      target[bit] = 0;
      for (uint32_t rest = plain[bit]; rest; rest &= rest - 1) {
        uint32_t digit = rest & -rest;
        target[bit] ^= digit | (random[__builtin_clz(digit)] & (digit - 1));
      }
    }
    target[32] = random[32];
  }
}

/* AS 241, PPND16. */
static double inverse_normal(double p) {
  double q = p - 0.5, r, z;
  if (fabs(q) <= 0.425) {
    r = 0.180625 - q * q;
    return q * (((((((2509.0809287301226727 * r + 33430.575583588128105) * r + 67265.770927008700853) * r
      + 45921.953931549871457) * r + 13731.693765509461125) * r + 1971.5909503065514427) * r
      + 133.14166789178437745) * r + 3.387132872796366608)
      / (((((((5226.495278852545925 * r + 28729.085735721942674) * r + 39307.89580009271061) * r
      + 21213.794301586595867) * r + 5394.1960214247511077) * r + 687.1870074920579083) * r
      + 42.313330701600911252) * r + 1);
  }
  r = sqrt(-log(q < 0 ? p : 1 - p));
  if (r <= 5) {
    r -= 1.6;
    z = (((((((7.7454501427834140764e-4 * r + 0.0227238449892691845833) * r + 0.24178072517745061177) * r
      + 1.27045825245236838258) * r + 3.64784832476320460504) * r + 5.7694972214606914055) * r
      + 4.6303378461565452959) * r + 1.42343711074968357734)
      / (((((((1.05075007164441684324e-9 * r + 5.475938084995344946e-4) * r + 0.0151986665636164571966) * r
      + 0.14810397642748007459) * r + 0.68976733498510000455) * r + 1.6763848301838038494) * r
      + 2.05319162663775882187) * r + 1);
  } else {
    r -= 5;
    z = (((((((2.01033439929228813265e-7 * r + 2.71155556874348757815e-5) * r + 0.0012426609473880784386) * r
      + 0.026532189526576123093) * r + 0.29656057182850489123) * r + 1.7848265399172913358) * r
      + 5.4637849111641143699) * r + 6.6579046435011037772)
      / (((((((2.04426310338993978564e-15 * r + 1.4215117583164458887e-7) * r + 1.8463183175100546818e-5) * r
      + 7.868691311456132591e-4) * r + 0.0148753612908506148525) * r + 0.13692988092273580531) * r
      + 0.59983220655588793769) * r + 1);
  }
  return q < 0 ? -z : z;
}

/* ---- the model ---- */

static inline double geometric_sum(double q, int terms) {
  double sum = 0, power = 1;
  for (int bit = 1 << (31 - __builtin_clz(terms)); bit; bit >>= 1) {
    sum *= 1 + power;
    power *= power;
    if (terms & bit) { sum = sum * q + 1; power *= q; }
  }
  return sum;
}

static inline double clamp(double x, double low, double high) { return x < low ? low : x > high ? high : x; }

static inline void values_of(const Site *s, const double z[DIMENSIONS], double value[DIMENSIONS]) {
  value[PRODUCTION] = clamp(s->production * (1 + 0.07 * z[PRODUCTION]), 0.3 * s->production, INFINITY);
  value[DEGRADATION] = clamp(s->degradation * exp(0.5 * z[DEGRADATION]), -INFINITY, 0.05);
  value[ESCALATION] = clamp(s->escalation + 0.01 * z[ESCALATION], -0.05, 0.12);
  value[COST] = s->cost * exp(0.12 * z[COST]);
  value[OM] = s->om * exp(0.3 * (0.3 * z[COST] + 0.95393920141694566 * z[OM])); /* sqrt(1 - 0.3^2) */
  value[SELF] = s->self < 1 ? clamp(s->self + 0.08 * z[SELF], 0, 1) : 1;
  value[EXPORT] = s->export_rate * exp(0.25 * z[EXPORT]);
  value[INVERTER] = s->inverter * exp(0.25 * z[INVERTER]);
}

/* Net present value, undiscounted sum, years to pay back, savings of the first year. */
static inline void evaluate(const Site *s, const double value[DIMENSIONS], double *out, long stride) {
  double production = s->size * value[PRODUCTION], keep = 1 - value[DEGRADATION];
  double escalation = 1 + value[ESCALATION], offered = production * value[SELF], export_rate = value[EXPORT];
  double investment = 1000 * s->size * value[COST];
  double today = offered * s->rate * geometric_sum(keep * escalation * s->discount, s->years);
  double total = offered * s->rate * geometric_sum(keep * escalation, s->years);
  double sold = (production - offered) * export_rate;
  if (sold != 0) {
    today += sold * geometric_sum(keep * s->discount, s->years);
    total += sold * geometric_sum(keep, s->years);
  }
  if (offered > s->consumption || keep > 1) {
    double surplus_offered = offered, rate = s->rate, factor = 1;
    for (int year = 0; year < s->years; year++) {
      double surplus = surplus_offered - s->consumption;
      if (surplus > 0) {
        total -= surplus * (rate - export_rate);
        today -= surplus * (rate - export_rate) * factor;
      } else if (keep <= 1) break;
      surplus_offered *= keep;
      rate *= escalation;
      factor *= s->discount;
    }
  }
  out[0] = today * s->discount - investment - value[OM] * s->maintenance[0] - value[INVERTER] * s->replacement[0];
  out[stride] = total - investment - value[OM] * s->maintenance[1] - value[INVERTER] * s->replacement[1];

  double balance = -investment, rate = s->rate, om = s->size * value[OM], produced = production;
  double payback = INFINITY;
  for (int year = 1; year <= s->years; year++) {
    double wanted = produced * value[SELF], used = wanted < s->consumption ? wanted : s->consumption;
    double flow = used * rate + (produced - used) * export_rate - om;
    if (year == s->inverter_year) flow -= value[INVERTER] * s->new_inverter;
    balance += flow;
    if (balance >= 0) {
      payback = year - balance / flow;
      break;
    }
    produced *= keep;
    rate *= escalation;
    om *= s->om_growth;
  }
  out[2 * stride] = payback;
  double used = offered < s->consumption ? offered : s->consumption;
  out[3 * stride] = used * s->rate + (production - used) * export_rate;
}

static void derive(Site *s) {
  s->size = s->consumption / s->production;
  s->discount = 1 / (1 + s->discount_rate);
  double growth = 1;
  for (int year = 1; year < s->inverter_year; year++) growth *= s->om_growth;
  s->new_inverter = s->size * growth;
  for (int plain = 0; plain < 2; plain++) {
    double factor = 1, cost = s->size, v = plain ? 1 : s->discount;
    s->maintenance[plain] = s->replacement[plain] = 0;
    for (int year = 1; year <= s->years; year++, cost *= s->om_growth) {
      factor *= v;
      s->maintenance[plain] += cost * factor;
      if (year == s->inverter_year) s->replacement[plain] = cost * factor;
    }
  }
}

static inline void finish(const Site *s, const uint32_t words[DIMENSIONS], double *out, long stride) {
  double z[DIMENSIONS], value[DIMENSIONS];
  for (int d = 0; d < DIMENSIONS; d++)
    z[d] = d == SELF && s->self >= 1 ? 0 : inverse_normal((words[d] + 0.5) * 0x1p-32);
  values_of(s, z, value);
  evaluate(s, value, out, stride);
}

static void run_random(const Site *s, uint64_t key, long trials, double *out) {
  for (long trial = 0; trial < trials; trial++) {
    uint32_t words[DIMENSIONS];
    philox(key, (uint32_t)trial, 0, TRIALS_STREAM, words);
    philox(key, (uint32_t)trial, 1, TRIALS_STREAM, words + 4);
    finish(s, words, out + trial, trials);
  }
}

static void run_sobol(const Site *s, uint64_t key, long trials, double *out) {
  static uint32_t directions[REPLICATES][DIMENSIONS][WORDS];
  scrambled_directions(key, directions);
  for (int replicate = 0; replicate < REPLICATES; replicate++) {
    /* Gray-code order: from one point to the next a single direction number changes. */
    uint32_t words[DIMENSIONS], step[32][DIMENSIONS];
    for (int d = 0; d < DIMENSIONS; d++) {
      words[d] = directions[replicate][d][32];
      for (int bit = 0; bit < 32; bit++) step[bit][d] = directions[replicate][d][bit];
    }
    long count = trials / REPLICATES;
    for (long point = 0; point < count; point++) {
      finish(s, words, out + replicate * count + point, trials);
      const uint32_t *change = step[__builtin_ctzl(point + 1)];
      for (int d = 0; d < DIMENSIONS; d++) words[d] ^= change[d];
    }
  }
}

/* ---- measuring and reporting ---- */

static double cpu_seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return t.tv_sec + 1e-9 * t.tv_nsec;
}

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static void report(const char *name, double *values, long count) {
  static const double shares[PERCENTILES] = {0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95};
  qsort(values, count, sizeof *values, ascending);
  double sum = 0, squares = 0;
  long finite = 0;
  while (finite < count && values[finite] != INFINITY) sum += values[finite++];
  double mean = sum / finite;
  for (long i = 0; i < finite; i++) squares += (values[i] - mean) * (values[i] - mean);
  printf(",\"%s\":{\"mean\":%.17g,\"standardDeviation\":%.17g,\"percentiles\":[", name, mean,
         sqrt(squares / (finite - 1)));
  for (int k = 0; k < PERCENTILES; k++) {
    double place = shares[k] * (count - 1), low = values[(long)place];
    double high = values[(long)place + 1 < count ? (long)place + 1 : count - 1];
    double found = low == high ? low : low + (place - floor(place)) * (high - low);
    printf(isfinite(found) ? "%s%.17g" : "%snull", k ? "," : "", found);
  }
  printf("]}");
}

int main(int argc, char **argv) {
  if (argc != 19) { fprintf(stderr, "usage: model METHOD TRIALS SEED SECONDS SITE(14 numbers)\n"); return 2; }
  int is_sobol = strcmp(argv[1], "sobol") == 0;
  long trials = atol(argv[2]);
  uint64_t seed = strtoull(argv[3], NULL, 10);
  double seconds = atof(argv[4]), n[14];
  for (int i = 0; i < 14; i++) n[i] = atof(argv[5 + i]);
  Site site = {.production = n[0], .consumption = n[1], .rate = n[2], .self = n[3], .export_rate = n[4],
    .degradation = n[5], .escalation = n[6], .cost = n[7], .om = n[8], .inverter = n[9], .om_growth = n[10],
    .discount_rate = n[11], .years = (int)n[12], .inverter_year = (int)n[13]};
  derive(&site);
  double *out = calloc(OUTPUTS * trials, sizeof *out), start = cpu_seconds();
  printf("{\"nsPerTrial\":[");
  for (int repetition = 0; repetition == 0 || cpu_seconds() - start < seconds; repetition++) {
    double before = cpu_seconds();
    (is_sobol ? run_sobol : run_random)(&site, seed, trials, out);
    printf("%s%.3f", repetition ? "," : "", (cpu_seconds() - before) / trials * 1e9);
  }
  printf("]");
  const char *names[OUTPUTS] = {"npv", "lifetimeNetSavings", "paybackYears", "year1Savings"};
  for (int k = 0; k < OUTPUTS; k++) report(names[k], out + k * trials, trials);
  printf("}\n");
  return 0;
}
