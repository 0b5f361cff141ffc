/** Columns of the complaint file by name, as far as tests fill them. */
export type Columns = Readonly<Partial<Record<keyof typeof positions, string>>>

const positions = {
  ...{ cmplid: 0, odi: 1, manufacturer: 2, make: 3, model: 4, year: 5, crash: 6, incident: 7, fire: 8 },
  ...{ injured: 9, deaths: 10, component: 11, city: 12, state: 13, vin: 14, added: 15, received: 16 },
  ...{ miles: 17, narrative: 19, channel: 20, purchase: 22, product: 45 },
} as const

const usual: Columns = {
  ...{
    cmplid: '1',
    odi: '10000001',
    manufacturer: 'Corvane Motor Company',
    make: 'CORVANE',
    model: 'ALDERA',
  },
  ...{
    year: '2018',
    crash: 'N',
    incident: '20200115',
    fire: 'N',
    injured: '0',
    deaths: '0',
    component: 'ENGINE',
  },
  ...{
    state: 'OH',
    vin: '1C9AB2DE5JK',
    added: '20200201',
    received: '20200201',
    channel: 'IVOQ',
    product: 'V',
  },
}

/** The cells of a line of the complaint file about an invented vehicle. */
export function complaintCells(columns: Columns = {}, width = 49): string[] {
  const cells = Array.from({ length: width }, () => '')
  for (const [name, text] of Object.entries({ ...usual, ...columns })) {
    cells[positions[name as keyof typeof positions]] = text
  }
  return cells
}

/** The line itself, with its end. */
export function complaintLine(columns: Columns = {}, width = 49): string {
  return `${complaintCells(columns, width).join('\t')}\r\n`
}
