import { record } from '@hearth/chassis/endpoint'
import * as schema from './vehicle-schema.ts'

/** Fields of a complaint in a list. */
export const complaintFields = {
  id: schema.text(
    '`cmp_` and the ODI number; `-2`, `-3` … follow where one complaint was about several vehicles.',
  ),
  date_reported: schema
    .date('When the regulator received it; null only in data that are not the regulator’s whole file')
    .allow(null),
  category: schema.categorySchema.description('The category the complaint is counted under.'),
  component: schema.text('The most specific component that was named.'),
  description: schema.text(
    'What the reporter wrote, without the marks of transcribers. Not verified by anybody.',
  ),
  mileage: schema
    .integer('Miles at failure, as reported or told in the text; null when not known.')
    .allow(null),
  crash: schema.flag('It tells of a crash.'),
  fire: schema.flag('It tells of a fire.'),
  injuries: schema.integer('Persons injured.'),
  repair_cost: schema.number('US dollars, from the text; 0 when it names none.'),
  repair_description: schema.text('The sentence the cost was found in; empty when there is none.'),
}

/** A complaint in a list. */
export const complaintSchema = record(complaintFields)

const responseSchema = record({
  type: schema.choice(
    ['recall', 'investigation', 'service_bulletin', 'notified'],
    'What the text refers to; notified: the maker was told.',
  ),
  reference: schema.text('Number of the campaign, investigation or bulletin.').allow(null),
  date: schema.date('Its date').allow(null),
  summary: schema.text('The sentence of the text.'),
})

const textOrNull = (description: string) => schema.text(description).allow(null)

/** One complaint in full. */
export const complaintDetailSchema = record({
  ...complaintFields,
  vehicle: schema.vehicleYearSchema.keys({
    trim: textOrNull('What the model name says besides the model; null when nothing.').required(),
  }),
  date_incident: schema.date('When it happened; null when not known or not possible').allow(null),
  purchase_date: schema.date('When the vehicle was bought; nearly always null').allow(null),
  deaths: schema.integer('Persons killed.'),
  repair_attempted: schema
    .flag('Whether the text says that it was repaired; null when it says nothing.')
    .allow(null),
  regulator_id: schema.text('ODI number: the identifier of the record at the regulator, NHTSA.'),
  nhtsa_id: schema.text('The same as regulator_id.'),
  similar_complaints: schema.integer(
    'Complaints in the same category about the same model, two model years before to two after, whose text is similar.',
  ),
  similar_complaint_ids: schema.list(schema.text('Id of a complaint.'), 'The most similar ones, 10 at most.'),
  manufacturer_response: responseSchema
    .allow(null)
    .description('What the text says the maker has done about it; null when nothing.'),
  categories: schema.list(schema.categorySchema, 'All its categories, the one it is counted under first.'),
  category_source: schema.choice(
    ['component', 'narrative'],
    'Whether the component says the category, or only the text does.',
  ),
  components: schema.list(schema.text('Component path.'), 'As filed with the regulator.'),
  mileage_source: schema.choiceOrNull(
    ['reported', 'narrative'],
    'Where the mileage is from: the form or the text; null when there is none.',
  ),
  repair_cost_kind: schema.choiceOrNull(
    ['paid', 'quoted'],
    'Whether the cost was paid or only quoted; null when there is none.',
  ),
  raw_description: textOrNull('The text as filed, where it differs from description; else null.'),
  state: textOrNull('State of the reporter, postal abbreviation.'),
  vin_prefix: textOrNull('First 11 characters of the vehicle identification number.'),
})
