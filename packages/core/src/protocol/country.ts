// A country decides on which day a shopper comes of age or pays, and which phone numbers are the
// same. Its rules apply only if its code is the one of ISO 3166: `UK` would silently be a country
// without rules. `Intl` knows neither the zone of a country nor its phone numbers. Contract §2, §4.

// Each country of ISO 3166: its codes of two and of three letters, the IANA zone in which most of
// its people live, its calling code, and the trunk prefix that people put before a number inside the
// country (alternatives by `|`), if there is one.
const COUNTRIES = `AD AND Europe/Andorra 376, AE ARE Asia/Dubai 971 0, AF AFG Asia/Kabul 93 0, AG ATG America/Antigua 1 1,
AI AIA America/Anguilla 1 1, AL ALB Europe/Tirane 355 0, AM ARM Asia/Yerevan 374 0, AO AGO Africa/Luanda 244,
AQ ATA Antarctica/McMurdo 672, AR ARG America/Argentina/Buenos_Aires 54 0, AS ASM Pacific/Pago_Pago 1 1,
AT AUT Europe/Vienna 43 0, AU AUS Australia/Sydney 61 0, AW ABW America/Aruba 297, AX ALA Europe/Mariehamn 358 0,
AZ AZE Asia/Baku 994 0, BA BIH Europe/Sarajevo 387 0, BB BRB America/Barbados 1 1, BD BGD Asia/Dhaka 880 0,
BE BEL Europe/Brussels 32 0, BF BFA Africa/Ouagadougou 226, BG BGR Europe/Sofia 359 0, BH BHR Asia/Bahrain 973,
BI BDI Africa/Bujumbura 257, BJ BEN Africa/Porto-Novo 229, BL BLM America/St_Barthelemy 590 0, BM BMU Atlantic/Bermuda 1 1,
BN BRN Asia/Brunei 673, BO BOL America/La_Paz 591 0, BQ BES America/Kralendijk 599, BR BRA America/Sao_Paulo 55 0,
BS BHS America/Nassau 1 1, BT BTN Asia/Thimphu 975, BV BVT Europe/Oslo 47, BW BWA Africa/Gaborone 267,
BY BLR Europe/Minsk 375 80, BZ BLZ America/Belize 501, CA CAN America/Toronto 1 1, CC CCK Indian/Cocos 61 0,
CD COD Africa/Lubumbashi 243 0, CF CAF Africa/Bangui 236, CG COG Africa/Brazzaville 242, CH CHE Europe/Zurich 41 0,
CI CIV Africa/Abidjan 225, CK COK Pacific/Rarotonga 682, CL CHL America/Santiago 56, CM CMR Africa/Douala 237,
CN CHN Asia/Shanghai 86 0, CO COL America/Bogota 57 0, CR CRI America/Costa_Rica 506, CU CUB America/Havana 53 0,
CV CPV Atlantic/Cape_Verde 238, CW CUW America/Curacao 599, CX CXR Indian/Christmas 61 0, CY CYP Asia/Nicosia 357,
CZ CZE Europe/Prague 420, DE DEU Europe/Berlin 49 0, DJ DJI Africa/Djibouti 253, DK DNK Europe/Copenhagen 45,
DM DMA America/Dominica 1 1, DO DOM America/Santo_Domingo 1 1, DZ DZA Africa/Algiers 213 0, EC ECU America/Guayaquil 593 0,
EE EST Europe/Tallinn 372, EG EGY Africa/Cairo 20 0, EH ESH Africa/El_Aaiun 212 0, ER ERI Africa/Asmara 291 0,
ES ESP Europe/Madrid 34, ET ETH Africa/Addis_Ababa 251 0, FI FIN Europe/Helsinki 358 0, FJ FJI Pacific/Fiji 679,
FK FLK Atlantic/Stanley 500, FM FSM Pacific/Chuuk 691, FO FRO Atlantic/Faroe 298, FR FRA Europe/Paris 33 0,
GA GAB Africa/Libreville 241, GB GBR Europe/London 44 0, GD GRD America/Grenada 1 1, GE GEO Asia/Tbilisi 995 0,
GF GUF America/Cayenne 594 0, GG GGY Europe/Guernsey 44 0, GH GHA Africa/Accra 233 0, GI GIB Europe/Gibraltar 350,
GL GRL America/Nuuk 299, GM GMB Africa/Banjul 220, GN GIN Africa/Conakry 224, GP GLP America/Guadeloupe 590 0,
GQ GNQ Africa/Malabo 240, GR GRC Europe/Athens 30, GS SGS Atlantic/South_Georgia 500, GT GTM America/Guatemala 502,
GU GUM Pacific/Guam 1 1, GW GNB Africa/Bissau 245, GY GUY America/Guyana 592, HK HKG Asia/Hong_Kong 852,
HM HMD Indian/Kerguelen 672, HN HND America/Tegucigalpa 504, HR HRV Europe/Zagreb 385 0, HT HTI America/Port-au-Prince 509,
HU HUN Europe/Budapest 36 06, ID IDN Asia/Jakarta 62 0, IE IRL Europe/Dublin 353 0, IL ISR Asia/Jerusalem 972 0,
IM IMN Europe/Isle_of_Man 44 0, IN IND Asia/Kolkata 91 0, IO IOT Indian/Chagos 246, IQ IRQ Asia/Baghdad 964 0,
IR IRN Asia/Tehran 98 0, IS ISL Atlantic/Reykjavik 354, IT ITA Europe/Rome 39, JE JEY Europe/Jersey 44 0,
JM JAM America/Jamaica 1 1, JO JOR Asia/Amman 962 0, JP JPN Asia/Tokyo 81 0, KE KEN Africa/Nairobi 254 0,
KG KGZ Asia/Bishkek 996 0, KH KHM Asia/Phnom_Penh 855 0, KI KIR Pacific/Tarawa 686 0, KM COM Indian/Comoro 269,
KN KNA America/St_Kitts 1 1, KP PRK Asia/Pyongyang 850 0, KR KOR Asia/Seoul 82 0, KW KWT Asia/Kuwait 965,
KY CYM America/Cayman 1 1, KZ KAZ Asia/Almaty 7 8, LA LAO Asia/Vientiane 856 0, LB LBN Asia/Beirut 961 0,
LC LCA America/St_Lucia 1 1, LI LIE Europe/Vaduz 423 0, LK LKA Asia/Colombo 94 0, LR LBR Africa/Monrovia 231 0,
LS LSO Africa/Maseru 266, LT LTU Europe/Vilnius 370 0|8, LU LUX Europe/Luxembourg 352, LV LVA Europe/Riga 371,
LY LBY Africa/Tripoli 218 0, MA MAR Africa/Casablanca 212 0, MC MCO Europe/Monaco 377 0, MD MDA Europe/Chisinau 373 0,
ME MNE Europe/Podgorica 382 0, MF MAF America/Marigot 590 0, MG MDG Indian/Antananarivo 261 0, MH MHL Pacific/Majuro 692 1,
MK MKD Europe/Skopje 389 0, ML MLI Africa/Bamako 223, MM MMR Asia/Yangon 95 0, MN MNG Asia/Ulaanbaatar 976 0,
MO MAC Asia/Macau 853, MP MNP Pacific/Saipan 1 1, MQ MTQ America/Martinique 596 0, MR MRT Africa/Nouakchott 222,
MS MSR America/Montserrat 1 1, MT MLT Europe/Malta 356, MU MUS Indian/Mauritius 230, MV MDV Indian/Maldives 960,
MW MWI Africa/Blantyre 265 0, MX MEX America/Mexico_City 52, MY MYS Asia/Kuala_Lumpur 60 0, MZ MOZ Africa/Maputo 258,
NA NAM Africa/Windhoek 264 0, NC NCL Pacific/Noumea 687, NE NER Africa/Niamey 227, NF NFK Pacific/Norfolk 672,
NG NGA Africa/Lagos 234 0, NI NIC America/Managua 505, NL NLD Europe/Amsterdam 31 0, NO NOR Europe/Oslo 47,
NP NPL Asia/Kathmandu 977 0, NR NRU Pacific/Nauru 674, NU NIU Pacific/Niue 683, NZ NZL Pacific/Auckland 64 0,
OM OMN Asia/Muscat 968, PA PAN America/Panama 507, PE PER America/Lima 51 0, PF PYF Pacific/Tahiti 689,
PG PNG Pacific/Port_Moresby 675, PH PHL Asia/Manila 63 0, PK PAK Asia/Karachi 92 0, PL POL Europe/Warsaw 48,
PM SPM America/Miquelon 508 0, PN PCN Pacific/Pitcairn 64 0, PR PRI America/Puerto_Rico 1 1, PS PSE Asia/Hebron 970 0,
PT PRT Europe/Lisbon 351, PW PLW Pacific/Palau 680, PY PRY America/Asuncion 595 0, QA QAT Asia/Qatar 974,
RE REU Indian/Reunion 262 0, RO ROU Europe/Bucharest 40 0, RS SRB Europe/Belgrade 381 0, RU RUS Europe/Moscow 7 8,
RW RWA Africa/Kigali 250 0, SA SAU Asia/Riyadh 966 0, SB SLB Pacific/Guadalcanal 677, SC SYC Indian/Mahe 248,
SD SDN Africa/Khartoum 249 0, SE SWE Europe/Stockholm 46 0, SG SGP Asia/Singapore 65, SH SHN Atlantic/St_Helena 290,
SI SVN Europe/Ljubljana 386 0, SJ SJM Arctic/Longyearbyen 47, SK SVK Europe/Bratislava 421 0, SL SLE Africa/Freetown 232 0,
SM SMR Europe/San_Marino 378, SN SEN Africa/Dakar 221, SO SOM Africa/Mogadishu 252 0, SR SUR America/Paramaribo 597,
SS SSD Africa/Juba 211 0, ST STP Africa/Sao_Tome 239, SV SLV America/El_Salvador 503, SX SXM America/Lower_Princes 1 1,
SY SYR Asia/Damascus 963 0, SZ SWZ Africa/Mbabane 268, TC TCA America/Grand_Turk 1 1, TD TCD Africa/Ndjamena 235,
TF ATF Indian/Kerguelen 262 0, TG TGO Africa/Lome 228, TH THA Asia/Bangkok 66 0, TJ TJK Asia/Dushanbe 992,
TK TKL Pacific/Fakaofo 690, TL TLS Asia/Dili 670, TM TKM Asia/Ashgabat 993 8, TN TUN Africa/Tunis 216,
TO TON Pacific/Tongatapu 676, TR TUR Europe/Istanbul 90 0, TT TTO America/Port_of_Spain 1 1, TV TUV Pacific/Funafuti 688,
TW TWN Asia/Taipei 886 0, TZ TZA Africa/Dar_es_Salaam 255 0, UA UKR Europe/Kyiv 380 0, UG UGA Africa/Kampala 256 0,
UM UMI Pacific/Wake 1 1, US USA America/New_York 1 1, UY URY America/Montevideo 598 0, UZ UZB Asia/Tashkent 998,
VA VAT Europe/Vatican 39, VC VCT America/St_Vincent 1 1, VE VEN America/Caracas 58 0, VG VGB America/Tortola 1 1,
VI VIR America/St_Thomas 1 1, VN VNM Asia/Ho_Chi_Minh 84 0, VU VUT Pacific/Efate 678, WF WLF Pacific/Wallis 681,
WS WSM Pacific/Apia 685, YE YEM Asia/Aden 967 0, YT MYT Indian/Mayotte 262 0, ZA ZAF Africa/Johannesburg 27 0,
ZM ZMB Africa/Lusaka 260 0, ZW ZWE Africa/Harare 263 0`

type CountryFacts = {
  /** The code of three letters. */
  readonly longCode: string
  readonly zone: string
  readonly callingCode: string
  readonly trunkPrefixes: readonly string[]
}

const byCode = new Map(
  COUNTRIES.split(/,\s/).map((line): [string, CountryFacts] => {
    const [code = '', longCode = '', zone = '', callingCode = '', trunk] = line.split(' ')
    return [code, { longCode, zone, callingCode, trunkPrefixes: trunk?.split('|') ?? [] }]
  }),
)

/**
 * `country`: two capital letters of ISO 3166. Undefined for no country, and for a code that ISO
 * does not know.
 */
export const factsOf = (country: string | null): CountryFacts | undefined =>
  byCode.get(country ?? '')

/** True if the text is a code of two capital letters that ISO 3166 assigns to a country today. */
export const isCountry = (code: string): boolean => byCode.has(code)

// Codes of the European Union, of cars and of domains, former codes, and others that people write.
const MISTAKES: { readonly [code: string]: string } = {
  GB: 'UK ENG EN SCO WLS NIR ENGLAND SCOTLAND WALES BRITAIN',
  GR: 'EL HELLAS',
  ES: 'SP SPA',
  AE: 'UAE',
  CD: 'ZR',
  CH: 'SWI SUI',
  CN: 'PRC',
  CW: 'AN',
  CZ: 'CSK CZECH',
  DE: 'DD GER',
  DK: 'DEN',
  FI: 'SF',
  FR: 'FX',
  HR: 'CRO',
  JP: 'JA',
  MM: 'BU BURMA',
  NL: 'HOL HOLLAND',
  PT: 'POR',
  RS: 'YU CS SCG',
  RU: 'SU',
  SA: 'KSA',
  TL: 'TP',
  US: 'U.S. U.S.A. AMERICA',
  UY: 'URU',
  ZA: 'RSA',
  ZW: 'RH',
}

/**
 * The country's code for another code or a name that people use (`UK`, `ESP`, `Spain`); null if
 * none is known.
 */
export const suggestCountry = (text: string): string | null => {
  const names = ['en', 'es'].map(
    (language) => new Intl.DisplayNames([language], { type: 'region' }),
  )
  return suggestCode(text, [...byCode.keys()], MISTAKES, (code) => [
    factsOf(code)?.longCode,
    ...names.map((name) => name.of(code)),
  ])
}

/**
 * The code that people mean by a text: a code, one of its `mistakes`, or one of its names; null if
 * none is known. All in any case of letters.
 */
export const suggestCode = (
  text: string,
  codes: readonly string[],
  mistakes: { readonly [code: string]: string },
  namesOf: (code: string) => readonly (string | undefined)[],
): string | null => {
  const typed = text.trim().toUpperCase()
  const isMistake = (code: string) => mistakes[code]?.split(' ').includes(typed)
  const isNamed = (code: string) => namesOf(code).some((name) => name?.toUpperCase() === typed)
  return (
    codes.find((code) => code === typed) ?? codes.find(isMistake) ?? codes.find(isNamed) ?? null
  )
}
