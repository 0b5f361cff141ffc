/**
 * What us-atlas (boundaries of 2017) does not know: Connecticut's planning regions replaced its counties in 2022,
 * and Valdez-Cordova in Alaska became Chugach and Copper River in 2019. Each new area with the areas that it
 * borders; where its centre lies is not known here.
 */
export const newAreas: Readonly<Record<string, readonly string[]>> = {
  '02063': ['02020', '02066', '02122', '02170', '02282'],
  '02066': ['02063', '02170', '02240', '02282'],
  '09110': ['09130', '09140', '09150', '09160', '09170', '09180', '25013'],
  '09120': ['09140', '09170', '09190'],
  '09130': ['09110', '09170', '09180'],
  '09140': ['09110', '09120', '09160', '09170', '09190'],
  '09150': ['09110', '09180', '25013', '25027', '44003', '44007'],
  '09160': ['09110', '09140', '09190', '25003', '25013', '36027'],
  '09170': ['09110', '09120', '09130', '09140'],
  '09180': ['09110', '09130', '09150', '44009'],
  '09190': ['09120', '09140', '09160', '36027', '36079', '36119'],
}

/** Codes of us-atlas that are no counties any more. */
export const goneAreas: readonly string[] = [
  ...['02261', '09001', '09003', '09005', '09007', '09009', '09011', '09013', '09015'],
]

/** Outside the wildfire table: states and the kind of their county equivalents. */
export const territories: Readonly<Record<string, { state: string; stateName: string; type: string }>> = {
  '60': { state: 'AS', stateName: 'American Samoa', type: 'District' },
  '66': { state: 'GU', stateName: 'Guam', type: 'Territory' },
  '69': { state: 'MP', stateName: 'Northern Mariana Islands', type: 'Municipality' },
  '72': { state: 'PR', stateName: 'Puerto Rico', type: 'Municipio' },
  '78': { state: 'VI', stateName: 'U.S. Virgin Islands', type: 'Island' },
}
