/** The parts of a vehicle that complaints are about; `other` holds what fits none, such as tyres. */
export const categories = [
  ...(['engine', 'transmission', 'electrical', 'brakes', 'suspension', 'steering'] as const),
  ...(['interior', 'exterior', 'safety', 'other'] as const),
] as const

export type Category = (typeof categories)[number]
