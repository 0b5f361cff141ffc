import { endpoint, record, type Endpoint } from '@hearth/chassis/endpoint'
import { answer, answers } from './answers.ts'
import { datasetKinds } from './database.ts'
import type { ServedData } from './served-data.ts'
import type { Dataset, ServedVersion } from './served-version.ts'
import * as schema from './vehicle-schema.ts'

/** GET /v1/datasets */
export function datasets(data: ServedData): Endpoint {
  return endpoint(description, (_input, req, res) =>
    answer(data, req, res, (version) => ({ answer: () => ({ data: describe(version) }) })),
  )
}

function describe({ number, publishedAt, isSample, datasets: made }: ServedVersion) {
  return {
    version: { number, published_at: publishedAt.toISOString(), sample: isSample },
    datasets: made.map(present),
  }
}

function present(dataset: Dataset) {
  return {
    kind: dataset.kind,
    sample: dataset.sample,
    source: dataset.source,
    sha256: dataset.sha256,
    rows: dataset.records,
    lines_read: dataset.lines,
    lines_taken: dataset.taken,
    lines_refused: dataset.refused,
    vintage: { from: dataset.firstDate, to: dataset.lastDate },
    imported_at: dataset.importedAt.toISOString(),
  }
}

const datasetSchema = record({
  kind: schema.choice(datasetKinds, 'What it is about.'),
  sample: schema.flag('Generated, with invented makes.'),
  source: schema.text('File name or address.'),
  sha256: schema.text('Digest of the file, hexadecimal.'),
  rows: schema.integer(
    'Complaints (one per ODI number and vehicle), recalls (one per campaign and vehicle), rated variants, or vehicles with units.',
  ),
  lines_read: schema.integer('Lines of the file.'),
  lines_taken: schema.integer('Lines that went into rows.'),
  lines_refused: schema.integer('Lines that were faulty; the others are about something else.'),
  vintage: record({
    from: schema.date('First date in it').allow(null),
    to: schema.date('Last date in it').allow(null),
  }),
  imported_at: schema.text('ISO 8601, UTC.'),
})

const description = {
  id: 'listDatasets',
  summary: 'Where the data are from',
  description:
    'The data version that is served and the files it was made from, with their digests and dates.',
  tag: 'Data',
  responses: answers(
    'The datasets.',
    record({
      version: record({
        number: schema.integer('1, 2, 3 …: the same as data_version of every answer.'),
        published_at: schema.text('ISO 8601, UTC.'),
        sample: schema.flag('Generated data with invented makes.'),
      }),
      datasets: schema.list(datasetSchema, 'One per kind that is loaded.'),
    }),
  ),
  examples: [{ name: 'provenance', status: 200 }],
}
