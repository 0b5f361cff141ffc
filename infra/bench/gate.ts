import { readFileSync, writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { bytesOf } from './gate/counters.ts'
import { goals, keysOf, type Comparison } from './gate/goals.ts'
import { measure, requestBody, type Measured } from './gate/measure.ts'
import { readOptions, usage, type Answer, type Options } from './gate/options.ts'
import { conditions, isDisturbed, publish, table, type Row } from './gate/report.ts'
import { openStores, progress, seed, type Stores } from './gate/stores.ts'
import { ourRecords, start, subjects, type Running, type Subject } from './gate/subjects.ts'

/*
 * The gate against its peers: `node bench/gate.ts`, see gate/options.ts and README.md beside this file. Servers have
 * the first core, load and stores the second. Needs wrk and taskset; nginx with Lua where it is to be compared.
 */

const serverCore = '0'
const otherCore = '1'
const accountFolder = fileURLToPath(new URL('../../libs/account/', import.meta.url))
const readme = new URL('README.md', import.meta.url)
/** Our service writes calls by endpoint within five seconds. */
const ledgerMs = 5_500
/** How often a measurement is tried. */
const attempts = 4
/** Subjects that the compiler knows, by process. */
const warm = new Set<string>()

const options = optionsOrExit(process.argv.slice(2))
const chosen = subjects.filter(({ id }) => options.subjects.length === 0 || options.subjects.includes(id))
const stores = await openStores(otherCore)
// The service migrates the schema that the accounts go into, and gives the answer that the peers repeat.
const first = await startAll(subjects.filter(({ id }) => id === 'solar'))
const seededBytes = await seed(stores, accountFolder, Math.max(...options.keys))
await keepAnswer(stores, first)
await stopAll(first)
const comparisons: Comparison[] = []
const tables: string[] = []
for (const answer of options.answers) {
  // None but those that are compared: one that waits takes some per cent of the core from the others.
  const running = await startAll(chosen.filter(({ answers }) => answers.includes(answer)))
  for (const keyCount of options.keys) await compare(running, answer, keyCount)
  if (answer === 'full' && Math.max(...options.processes) > 1)
    tables.push(...(await severalProcesses(running, options)))
  await stopAll(running)
}
const lines = [conditions(options), '', ...goals(comparisons, seededBytes), '', ...tables.slice(0, -1)]
process.stdout.write(`${lines.join('\n')}\n`)
if (options.publish) publish(readme, 'gate', lines)
process.exit(0)

/** Ends the process for `--help`, and for options that are none. */
function optionsOrExit(args: readonly string[]): Options {
  if (args.includes('--help')) {
    process.stdout.write(usage)
    process.exit(0)
  }
  try {
    return readOptions(
      args,
      subjects.map(({ id }) => id),
    )
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n\n${usage}`)
    process.exit(2)
  }
}

function title(answer: Answer): string {
  return answer === 'small'
    ? 'Gate against gate: 600 bytes of JSON by GET'
    : 'The whole path: POST /v1/calculate, 2.3 kB'
}

/** One table: all subjects that can give an answer, with requests over so many keys. */
async function compare(running: readonly Running[], answer: Answer, keyCount: number): Promise<void> {
  const groups = running.map((one) => [one])
  const rows = await rounds(groups, answer, keyCount)
  comparisons.push({ answer, keyCount, rows })
  tables.push(`#### ${title(answer)}, ${keysOf(keyCount)}`, '')
  tables.push(...table(rows, 'express', await accountBytes(running)), '')
}

async function startAll(some: readonly Subject[]): Promise<Running[]> {
  const all: Running[] = []
  for (const subject of some) {
    const host = all.find((one) => one.subject.id === subject.within)
    const one = host ? { ...host, subject } : await start(subject, stores.setting, serverCore)
    if (one === undefined) process.stderr.write(`SKIPPED ${subject.id}: this machine lacks what it needs.\n`)
    else all.push(one)
  }
  return all
}

async function stopAll(running: readonly Running[]): Promise<void> {
  for (const { stop } of running) await stop()
}

/** Alternating rounds, after a warm-up: long for subjects that meet this kind of request for the first time. */
async function rounds(
  groups: readonly (readonly Running[])[],
  answer: Answer,
  keyCount: number,
): Promise<Row[]> {
  const measured = groups.map((): Measured[] => [])
  for (let round = 0; round <= options.rounds; round++) {
    for (const [index, group] of groups.entries()) {
      const seconds =
        round > 0
          ? options.seconds
          : group.every((one) => warm.has(one.url + one.subject.id))
            ? 1
            : options.warmUp
      const asked = { answer, keyCount, seed: round, core: otherCore }
      const hasLedger = keyCount > 1 && isOurs(group)
      // What our ledger writes of calls, five seconds after them, is to be measured, and must not slow whoever is next.
      if (hasLedger && round > 0)
        await measureViaRedis(group, { ...asked, seed: 1000 + round }, Math.ceil(ledgerMs / 1000))
      const one = await measureViaRedis(group, asked, seconds)
      if (round > 0) measured[index]?.push(one)
      if (hasLedger) await sleep(ledgerMs)
      for (const { url, subject } of group) warm.add(url + subject.id)
      progress(
        `${answer}, ${keyCount} keys, round ${round} of ${options.rounds}: ${group[0]?.subject.id} ${one.perSecond.toFixed(0)}/s, ${one.cpu.toFixed(1)} µs`,
      )
    }
  }
  return groups.flatMap(([one], index) => (one ? [{ ...one.subject, rounds: measured[index] ?? [] }] : []))
}

/**
 * On a busy machine our gate may lose its trust in Redis and serve from Postgres, where each account that is asked about
 * is moved and from where it is moved back later, and a server may not get to answer at all: such a measurement is
 * repeated a few times, and if it stays so, the table says it, or the run ends.
 */
async function measureViaRedis(
  group: readonly Running[],
  asked: Parameters<typeof measure>[2],
  seconds: number,
): Promise<Measured> {
  for (let attempt = 1; ; attempt++) {
    try {
      const one = await measure(stores, group, asked, { seconds, connections: options.connections })
      if (!isOurs(group) || !isDisturbed(one) || attempt === attempts) return one
      progress(
        `Redis decided on ${(100 * one.viaRedis).toFixed(0)} % of the requests, and ${one.moved} accounts moved; measuring again`,
      )
    } catch (error) {
      if (attempt === attempts) throw error
      progress(`${error instanceof Error ? error.message : String(error)}\nMeasuring again`)
    }
    await sleep(2_000)
  }
}

function isOurs([one]: readonly Running[]): boolean {
  return one?.subject.records === ourRecords
}

async function severalProcesses(
  running: readonly Running[],
  { processes, keys }: Options,
): Promise<string[]> {
  const [solar] = running.filter(({ subject }) => subject.id === 'solar')
  if (solar === undefined) return []
  const more = await startAll(Array<Subject>(Math.max(...processes) - 1).fill(solar.subject))
  const all = [solar, ...more]
  const keyCount = keys.find((count) => count > 1) ?? 1
  const rows = await rounds(
    processes.map((count) => all.slice(0, count)),
    'full',
    keyCount,
  )
  const named = rows.map((row, index) => ({
    ...{
      ...row,
      id: String(processes[index]),
      name: `${processes[index]} ${processes[index] === 1 ? 'process' : 'processes'}`,
    },
  }))
  await stopAll(more)
  return [
    `#### Processes of solar-api, all on the one core, ${keysOf(keyCount)}`,
    '',
    ...table(named, '1', new Map()),
    '',
  ]
}

/** Bytes of Redis for one account: of ours as seeded, of peers what their first account has come to. */
async function accountBytes(some: readonly Running[]): Promise<Map<string, number>> {
  const bytes = new Map<string, number>()
  const tag = readFileSync(stores.keyFile, 'latin1').slice(9, 19)
  for (const { subject } of some) {
    if (subject.records === ourRecords && seededBytes !== undefined) bytes.set(subject.id, seededBytes)
    else if (subject.records !== undefined)
      bytes.set(subject.id, await bytesOf(stores.redis, subject.records.replace('*', `*${tag}*`)))
  }
  return bytes
}

/** Asks the service once, so that the peers answer the same bytes. */
async function keepAnswer({ setting, keyFile }: Stores, [solar]: readonly Running[]): Promise<void> {
  const key = readFileSync(keyFile, 'latin1').slice(0, 61)
  const response = await fetch(`${solar?.url}/v1/calculate`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-API-Key': key },
    body: requestBody,
  })
  if (!response.ok) throw new Error(`solar-api answered ${response.status}: ${await response.text()}`)
  writeFileSync(setting['FULL_ANSWER'] ?? '', await response.text())
}
