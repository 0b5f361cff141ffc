// Loaded before the service: its own clock is wrong by CLOCK_SHIFT_MS, as that of a machine without time service.
const shift = Number(process.env.CLOCK_SHIFT_MS)
const RealDate = Date
globalThis.Date = class Date extends RealDate {
  constructor(...args) {
    super(...(args.length === 0 ? [RealDate.now() + shift] : args))
  }

  static now() {
    return RealDate.now() + shift
  }
}
