import { parse } from 'csv-parse/sync'
import { readFileSync } from 'node:fs'
import { deflateRawSync, crc32 } from 'node:zlib'
import { shippedFile } from '../src/shipped-data.ts'

/** A row of a made-up table by column. */
export type NriRow = Record<string, string>

/** Columns of the table as FEMA publishes it, as far as they matter, with some that do not. */
export const nriColumns = [
  ...[
    'OID_',
    'NRI_ID',
    'STATE',
    'STATEABBRV',
    'COUNTY',
    'COUNTYTYPE',
    'STCOFIPS',
    'POPULATION',
    'BUILDVALUE',
  ],
  ...['AGRIVALUE', 'AREA', 'RISK_SCORE', 'SOVI_SCORE', 'SOVI_RATNG', 'RESL_SCORE', 'RESL_RATNG', 'CRF_VALUE'],
  ...['HRCN_EVNTS', 'HRCN_RISKR', 'WFIR_EVNTS', 'WFIR_AFREQ', 'WFIR_EXP_AREA', 'WFIR_EXPB', 'WFIR_EXPP'],
  ...[
    'WFIR_EXPPE',
    'WFIR_EXPA',
    'WFIR_EXPT',
    'WFIR_HLRB',
    'WFIR_HLRP',
    'WFIR_HLRA',
    'WFIR_HLRR',
    'WFIR_EALB',
  ],
  ...[
    'WFIR_EALP',
    'WFIR_EALPE',
    'WFIR_EALA',
    'WFIR_EALT',
    'WFIR_EALS',
    'WFIR_EALR',
    'WFIR_ALRB',
    'WFIR_ALRP',
  ],
  ...['WFIR_ALRA', 'WFIR_ALR_NPCTL', 'WFIR_RISKV', 'WFIR_RISKS', 'WFIR_RISKR', 'NRI_VER'],
]

/** The columns that v1.18 did not have. */
export const newerColumns = [
  ...['WFIR_EXP_AREA', 'WFIR_ALRB', 'WFIR_ALRP', 'WFIR_ALRA', 'WFIR_ALR_NPCTL', 'WFIR_RISKV', 'CRF_VALUE'],
]

/** A made-up row for every county of the 50 states and the District of Columbia, and for a territory. */
export function nriRows(): NriRow[] {
  const counties: Record<string, string>[] = parse(readFileSync(shippedFile('counties.csv')), {
    columns: true,
  })
  return counties
    .filter(({ code = '' }) => code < '60' || code.startsWith('72'))
    .map(({ code = '', name = '', state = '', state_name: stateName = '' }, at) => ({
      ...{ OID_: String(at + 1), NRI_ID: `C${code}`, STATE: stateName, STATEABBRV: state, COUNTY: name },
      ...(code < '60' ? ratedValues(code, at) : unratedValues(code)),
    }))
}

function ratedValues(code: string, at: number): NriRow {
  const score = String(((at % 3144) * 100) / 3144)
  const [buildings, lives, crops] = [1000 + at * 3, 50.5, 25]
  const rated = {
    ...{ COUNTYTYPE: 'County', STCOFIPS: code, POPULATION: String(10_000 + at), BUILDVALUE: '2500000000' },
    ...{ AGRIVALUE: '1000000', AREA: '610.5', RISK_SCORE: score, SOVI_SCORE: score, RESL_SCORE: score },
    ...{ SOVI_RATNG: 'Relatively Low', RESL_RATNG: 'Very High', CRF_VALUE: '1.25' },
    ...{ HRCN_EVNTS: '12', HRCN_RISKR: 'Not Applicable', WFIR_EVNTS: '', WFIR_AFREQ: '0.0031' },
    ...{ WFIR_EXP_AREA: '23.5', WFIR_EXPB: '1.25E+9', WFIR_EXPP: '5000.25', WFIR_EXPPE: '68503425000' },
    ...{
      WFIR_EXPA: '4000',
      WFIR_EXPT: '69753429000',
      WFIR_HLRB: '0.3',
      WFIR_HLRP: '0.0002',
      WFIR_HLRA: '0.0027',
    },
  }
  return {
    ...rated,
    ...{
      WFIR_HLRR: 'Very Low',
      WFIR_EALB: String(buildings),
      WFIR_EALP: '0.000003',
      WFIR_EALPE: String(lives),
    },
    ...{ WFIR_EALA: String(crops), WFIR_EALT: String(buildings + lives + crops), WFIR_EALS: score },
    ...{ WFIR_EALR: 'Relatively Low', WFIR_ALRB: '4E-07', WFIR_ALRP: '1E-10', WFIR_ALRA: '2.5E-05' },
    ...{ WFIR_ALR_NPCTL: score, WFIR_RISKV: '1500.5', WFIR_RISKS: score, WFIR_RISKR: 'Relatively Low' },
    NRI_VER: 'December 2025',
  }
}

function unratedValues(code: string): NriRow {
  const blank = Object.fromEntries(
    nriColumns.map((name) => [name, name.endsWith('R') ? 'Insufficient Data' : '']),
  )
  const known = { STCOFIPS: code, POPULATION: '18000', BUILDVALUE: '900000000', NRI_VER: 'December 2025' }
  return { ...blank, ...{ NRI_ID: '', SOVI_RATNG: '', RESL_RATNG: '' }, ...known }
}

/** The table as a CSV file with a byte order mark, as FEMA's is. @param names header of each column, if it differs */
export function nriCsv(
  rows: readonly NriRow[],
  {
    columns = nriColumns,
    names = {},
  }: { columns?: readonly string[]; names?: Readonly<Record<string, string>> } = {},
): string {
  const cell = (text = '') => (/[",]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)
  const header = columns.map((column) => cell(names[column] ?? column)).join(',')
  return `\ufeff${header}\r\n${rows.map((row) => `${columns.map((column) => cell(row[column])).join(',')}\r\n`).join('')}`
}

/** A zip file with these files, compressed. */
export function zipOf(files: Readonly<Record<string, string>>): Buffer {
  const parts: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const [name, text] of Object.entries(files)) {
    const data = deflateRawSync(text)
    const common = Buffer.alloc(26)
    common.writeUInt16LE(20, 0)
    common.writeUInt16LE(8, 4)
    common.writeUInt32LE(crc32(text), 10)
    common.writeUInt32LE(data.length, 14)
    common.writeUInt32LE(Buffer.byteLength(text), 18)
    common.writeUInt16LE(Buffer.byteLength(name), 22)
    const local = [Buffer.from('PK\u0003\u0004'), common, Buffer.from(name), data]
    const entry = Buffer.alloc(14)
    entry.writeUInt32LE(offset, 10)
    directory.push(Buffer.from('PK\u0001\u0002'), Buffer.from([20, 0]), common, entry, Buffer.from(name))
    parts.push(...local)
    offset += local.reduce((sum, part) => sum + part.length, 0)
  }
  const index = Buffer.concat(directory)
  const end = Buffer.alloc(18)
  end.writeUInt16LE(Object.keys(files).length, 4)
  end.writeUInt16LE(Object.keys(files).length, 6)
  end.writeUInt32LE(index.length, 8)
  end.writeUInt32LE(offset, 12)
  return Buffer.concat([...parts, index, Buffer.from('PK\u0005\u0006'), end])
}
