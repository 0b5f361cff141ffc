/** Vehicles and a complaint of the sample data, for examples that can be sent as they are. The makes are invented. */
export const sampleVehicle = { make: 'aldera', model: 'corvane', year: '2018' } as const
export const otherSampleModel = 'tessaro'
export const sampleComplaint = 'cmp_90000001'
