// A country decides on which day a shopper comes of age or pays, and which phone numbers are the
// same. Its rules apply only if its code is the one of ISO 3166: `UK` would silently be a country
// without rules. `Intl` knows neither the zone of a country nor its phone numbers. Contract §2, §4.

const ISO_3166 = new Set(
  `AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS
BT BV BW BY BZ CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE
EG EH ER ES ET FI FJ FK FM FO FR GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM
HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC
LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ NA
NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW
SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO
TR TT TV TW TZ UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS YE YT ZA ZM ZW`.split(/\s/),
)

/** True if the text is a code of two capital letters that ISO 3166 assigns to a country today. */
export const isCountry = (code: string): boolean => ISO_3166.has(code)

// The countries that pay in one of the priced currencies: the IANA zone in which most of their people
// live, the calling code, and the trunk prefix that people put before a number inside the country
// (alternatives by `|`), if there is one.
const COUNTRIES = `AD Europe/Andorra 376, AR America/Argentina/Buenos_Aires 54 0, AT Europe/Vienna 43 0,
BE Europe/Brussels 32 0, BG Europe/Sofia 359 0, BR America/Sao_Paulo 55 0, CH Europe/Zurich 41 0,
CL America/Santiago 56, CO America/Bogota 57 0, CY Asia/Nicosia 357, CZ Europe/Prague 420,
DE Europe/Berlin 49 0, DK Europe/Copenhagen 45, EC America/Guayaquil 593 0, EE Europe/Tallinn 372,
ES Europe/Madrid 34, FI Europe/Helsinki 358 0, FR Europe/Paris 33 0, GB Europe/London 44 0,
GR Europe/Athens 30, HR Europe/Zagreb 385 0, HU Europe/Budapest 36 06, IE Europe/Dublin 353 0,
IT Europe/Rome 39, JP Asia/Tokyo 81 0, LI Europe/Vaduz 423 0, LT Europe/Vilnius 370 0|8,
LU Europe/Luxembourg 352, LV Europe/Riga 371, MC Europe/Monaco 377 0, ME Europe/Podgorica 382 0,
MT Europe/Malta 356, MX America/Mexico_City 52, NL Europe/Amsterdam 31 0, NO Europe/Oslo 47,
PE America/Lima 51 0, PL Europe/Warsaw 48, PT Europe/Lisbon 351, RO Europe/Bucharest 40 0,
SE Europe/Stockholm 46 0, SI Europe/Ljubljana 386 0, SK Europe/Bratislava 421 0,
SM Europe/San_Marino 378, SV America/El_Salvador 503, US America/New_York 1 1,
UY America/Montevideo 598 0, VA Europe/Vatican 39`

type CountryFacts = {
  readonly zone: string
  readonly callingCode: string
  readonly trunkPrefixes: readonly string[]
}

const byCode = new Map(
  COUNTRIES.split(/,\s/).map((line): [string, CountryFacts] => {
    const [code = '', zone = '', callingCode = '', trunk] = line.split(' ')
    return [code, { zone, callingCode, trunkPrefixes: trunk?.split('|') ?? [] }]
  }),
)

/** Undefined for no country, and for one that pays in another currency. */
export const factsOf = (country: string | null): CountryFacts | undefined =>
  byCode.get(country ?? '')
