import type { Model } from './catalogue.ts'

/** A model as answers name it, whatever it was called in the request. */
export function presentModel({ make, name, slug }: Model) {
  return { make: make.name, model: name, make_slug: make.slug, model_slug: slug }
}

/** The same with the model year. */
export function presentModelYear({ model, year }: { readonly model: Model; readonly year: number }) {
  return { ...presentModel(model), year }
}
