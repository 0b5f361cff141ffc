import type { Rejection } from '@hearth/chassis/importing/report'

/**
 * Part of a file: what could be made of its lines. Lines are numbered from 1, and the numbers run on over the
 * members of a zip file.
 */
export type Batch<T> = {
  /** Lines read for it, without headers. */
  readonly lines: number
  readonly records: readonly T[]
  readonly rejections: readonly Rejection[]
}
