/** A generation of a model: its usual name and its model years on the US market; `last` is null while it is sold. */
export type Generation = { readonly name: string; readonly first: number; readonly last: number | null }

/** The known generations of a model, oldest first; empty where none are known. */
export function knownGenerations(make: string, model: string): readonly Generation[] {
  return generations.get(`${make} ${model}`) ?? []
}

/**
 * Model years of the US market, by keys of make and model, from general knowledge and kept to what is beyond doubt:
 * models whose generations shared model years for long, or about which there are different opinions, are left out,
 * and their generations are inferred. A model year in which the next generation replaced some variants counts with
 * the next. A dash without a year: still sold.
 */
const table: Readonly<Record<string, string>> = {
  'chevrolet camaro': '4th 1993-2002, 5th 2010-2015, 6th 2016-2024',
  'chevrolet cobalt': '1st 2005-2010',
  'chevrolet corvette': 'C5 1997-2004, C6 2005-2013, C7 2014-2019, C8 2020-',
  'chevrolet equinox': '1st 2005-2009, 2nd 2010-2017, 3rd 2018-2024, 4th 2025-',
  'chevrolet hhr': '1st 2006-2011',
  'chevrolet impala': '8th 2000-2005, 9th 2006-2013, 10th 2014-2020',
  'chevrolet tahoe': 'GMT400 1995-1999, GMT800 2000-2006, GMT900 2007-2014, K2XX 2015-2020, T1 2021-',
  'chevrolet traverse': '1st 2009-2017, 2nd 2018-2023, 3rd 2024-',
  'ford edge': '1st 2007-2014, 2nd 2015-2024',
  'ford escape': '1st 2001-2007, 2nd 2008-2012, 3rd 2013-2019, 4th 2020-',
  'ford explorer': '1st 1991-1994, 2nd 1995-2001, 3rd 2002-2005, 4th 2006-2010, 5th 2011-2019, 6th 2020-',
  'ford f150': '10th 1997-2003, 11th 2004-2008, 12th 2009-2014, 13th 2015-2020, 14th 2021-',
  'ford fiesta': '6th 2011-2019',
  'ford focus': '1st 2000-2007, 2nd 2008-2011, 3rd 2012-2018',
  'ford fusion': '1st 2006-2012, 2nd 2013-2020',
  'ford mustang': 'SN95 1994-2004, S197 2005-2014, S550 2015-2023, S650 2024-',
  'honda accord':
    '5th 1994-1997, 6th 1998-2002, 7th 2003-2007, 8th 2008-2012, 9th 2013-2017, 10th 2018-2022, 11th 2023-',
  'honda civic':
    '5th 1992-1995, 6th 1996-2000, 7th 2001-2005, 8th 2006-2011, 9th 2012-2015, 10th 2016-2021, 11th 2022-',
  'honda crv': '1st 1997-2001, 2nd 2002-2006, 3rd 2007-2011, 4th 2012-2016, 5th 2017-2022, 6th 2023-',
  'honda odyssey': '1st 1995-1998, 2nd 1999-2004, 3rd 2005-2010, 4th 2011-2017, 5th 2018-',
  'honda pilot': '1st 2003-2008, 2nd 2009-2015, 3rd 2016-2022, 4th 2023-',
  'hyundai elantra': 'XD 2001-2006, HD 2007-2010, MD 2011-2016, AD 2017-2020, CN7 2021-',
  'hyundai sonata': 'EF 1999-2005, NF 2006-2010, YF 2011-2014, LF 2015-2019, DN8 2020-',
  'hyundai tucson': 'JM 2005-2009, LM 2010-2015, TL 2016-2021, NX4 2022-',
  'jeep liberty': 'KJ 2002-2007, KK 2008-2012',
  'kia optima': 'TF 2011-2015, JF 2016-2020',
  'kia soul': 'AM 2010-2013, PS 2014-2019, SK3 2020-',
  'kia sportage': 'KM 2005-2010, SL 2011-2016, QL 2017-2022, NQ5 2023-',
  'nissan murano': 'Z50 2003-2007, Z51 2009-2014, Z52 2015-2024, Z53 2025-',
  'nissan pathfinder': 'R50 1996-2004, R51 2005-2012, R52 2013-2020, R53 2022-',
  'pontiac g5': '1st 2007-2010',
  'porsche 911': '993 1995-1998, 996 1999-2004, 997 2005-2011, 991 2012-2019, 992 2020-',
  'porsche cayenne': '955/957 2003-2010, 958 2011-2018, 9Y0 2019-',
  'porsche macan': '95B 2015-2024',
  'porsche panamera': '970 2010-2016, 971 2017-2023, 972 2024-',
  'porsche taycan': 'J1 2020-',
  'saturn ion': '1st 2003-2007',
  'subaru forester': 'SF 1998-2002, SG 2003-2008, SH 2009-2013, SJ 2014-2018, SK 2019-2024, SL 2025-',
  'subaru outback': '3rd 2005-2009, 4th 2010-2014, 5th 2015-2019, 6th 2020-2025, 7th 2026-',
  'tesla model3': 'pre-refresh 2017-2023, Highland 2024-',
  'tesla models': '1st 2012-',
  'tesla modelx': '1st 2016-',
  'tesla modely': '1st 2020-',
  'toyota 4runner': 'N180 1996-2002, N210 2003-2009, N280 2010-2024, N500 2025-',
  'toyota camry':
    'XV10 1992-1996, XV20 1997-2001, XV30 2002-2006, XV40 2007-2011, XV50 2012-2017, XV70 2018-2024, XV80 2025-',
  'toyota chr': 'AX10 2018-2022',
  'toyota corolla': 'E110 1998-2002, E130 2003-2008, E140 2009-2013, E170 2014-2019, E210 2020-',
  'toyota highlander': 'XU20 2001-2007, XU40 2008-2013, XU50 2014-2019, XU70 2020-',
  'toyota prius': 'XW10 2001-2003, XW20 2004-2009, XW30 2010-2015, XW50 2016-2022, XW60 2023-',
  'toyota rav4': 'XA10 1996-2000, XA20 2001-2005, XA30 2006-2012, XA40 2013-2018, XA50 2019-2025, XA60 2026-',
  'toyota sienna': 'XL10 1998-2003, XL20 2004-2010, XL30 2011-2020, XL40 2021-',
  'toyota tacoma': '1st 1995-2004, 2nd 2005-2015, 3rd 2016-2023, 4th 2024-',
  'toyota tundra': '1st 2000-2006, 2nd 2007-2021, 3rd 2022-',
}

const generations = new Map(
  Object.entries(table).map(([model, text]) => [model, text.split(', ').map(parse)]),
)

/** `XV40 2007-2011` */
function parse(text: string): Generation {
  const [, name = '', first = '', last = ''] = /^(\S+) (\d{4})-(\d{4})?$/.exec(text) ?? []
  return { name, first: Number(first), last: last === '' ? null : Number(last) }
}
