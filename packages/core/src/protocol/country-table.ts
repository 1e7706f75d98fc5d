// A country decides on which day a shopper comes of age or pays, and which phone numbers are the
// same. `Intl` knows neither the zone of a country nor its phone numbers.

// Each country of ISO 3166: the IANA zone in which most of its people live, its calling code, and
// the trunk prefix that people put before a number inside the country (alternatives by `|`), if
// there is one.
const COUNTRIES = `AD Europe/Andorra 376, AE Asia/Dubai 971 0, AF Asia/Kabul 93 0, AG America/Antigua 1 1, AI America/Anguilla 1 1,
AL Europe/Tirane 355 0, AM Asia/Yerevan 374 0, AO Africa/Luanda 244, AQ Antarctica/McMurdo 672,
AR America/Argentina/Buenos_Aires 54 0, AS Pacific/Pago_Pago 1 1, AT Europe/Vienna 43 0, AU Australia/Sydney 61 0,
AW America/Aruba 297, AX Europe/Mariehamn 358 0, AZ Asia/Baku 994 0, BA Europe/Sarajevo 387 0, BB America/Barbados 1 1,
BD Asia/Dhaka 880 0, BE Europe/Brussels 32 0, BF Africa/Ouagadougou 226, BG Europe/Sofia 359 0, BH Asia/Bahrain 973,
BI Africa/Bujumbura 257, BJ Africa/Porto-Novo 229, BL America/St_Barthelemy 590 0, BM Atlantic/Bermuda 1 1,
BN Asia/Brunei 673, BO America/La_Paz 591 0, BQ America/Kralendijk 599, BR America/Sao_Paulo 55 0,
BS America/Nassau 1 1, BT Asia/Thimphu 975, BV Europe/Oslo 47, BW Africa/Gaborone 267, BY Europe/Minsk 375 80,
BZ America/Belize 501, CA America/Toronto 1 1, CC Indian/Cocos 61 0, CD Africa/Lubumbashi 243 0, CF Africa/Bangui 236,
CG Africa/Brazzaville 242, CH Europe/Zurich 41 0, CI Africa/Abidjan 225, CK Pacific/Rarotonga 682,
CL America/Santiago 56, CM Africa/Douala 237, CN Asia/Shanghai 86 0, CO America/Bogota 57 0, CR America/Costa_Rica 506,
CU America/Havana 53 0, CV Atlantic/Cape_Verde 238, CW America/Curacao 599, CX Indian/Christmas 61 0,
CY Asia/Nicosia 357, CZ Europe/Prague 420, DE Europe/Berlin 49 0, DJ Africa/Djibouti 253, DK Europe/Copenhagen 45,
DM America/Dominica 1 1, DO America/Santo_Domingo 1 1, DZ Africa/Algiers 213 0, EC America/Guayaquil 593 0,
EE Europe/Tallinn 372, EG Africa/Cairo 20 0, EH Africa/El_Aaiun 212 0, ER Africa/Asmara 291 0, ES Europe/Madrid 34,
ET Africa/Addis_Ababa 251 0, FI Europe/Helsinki 358 0, FJ Pacific/Fiji 679, FK Atlantic/Stanley 500,
FM Pacific/Chuuk 691, FO Atlantic/Faroe 298, FR Europe/Paris 33 0, GA Africa/Libreville 241, GB Europe/London 44 0,
GD America/Grenada 1 1, GE Asia/Tbilisi 995 0, GF America/Cayenne 594 0, GG Europe/Guernsey 44 0, GH Africa/Accra 233 0,
GI Europe/Gibraltar 350, GL America/Nuuk 299, GM Africa/Banjul 220, GN Africa/Conakry 224, GP America/Guadeloupe 590 0,
GQ Africa/Malabo 240, GR Europe/Athens 30, GS Atlantic/South_Georgia 500, GT America/Guatemala 502, GU Pacific/Guam 1 1,
GW Africa/Bissau 245, GY America/Guyana 592, HK Asia/Hong_Kong 852, HM Indian/Kerguelen 672, HN America/Tegucigalpa 504,
HR Europe/Zagreb 385 0, HT America/Port-au-Prince 509, HU Europe/Budapest 36 06, ID Asia/Jakarta 62 0,
IE Europe/Dublin 353 0, IL Asia/Jerusalem 972 0, IM Europe/Isle_of_Man 44 0, IN Asia/Kolkata 91 0, IO Indian/Chagos 246,
IQ Asia/Baghdad 964 0, IR Asia/Tehran 98 0, IS Atlantic/Reykjavik 354, IT Europe/Rome 39, JE Europe/Jersey 44 0,
JM America/Jamaica 1 1, JO Asia/Amman 962 0, JP Asia/Tokyo 81 0, KE Africa/Nairobi 254 0, KG Asia/Bishkek 996 0,
KH Asia/Phnom_Penh 855 0, KI Pacific/Tarawa 686 0, KM Indian/Comoro 269, KN America/St_Kitts 1 1,
KP Asia/Pyongyang 850 0, KR Asia/Seoul 82 0, KW Asia/Kuwait 965, KY America/Cayman 1 1, KZ Asia/Almaty 7 8,
LA Asia/Vientiane 856 0, LB Asia/Beirut 961 0, LC America/St_Lucia 1 1, LI Europe/Vaduz 423 0, LK Asia/Colombo 94 0,
LR Africa/Monrovia 231 0, LS Africa/Maseru 266, LT Europe/Vilnius 370 0|8, LU Europe/Luxembourg 352, LV Europe/Riga 371,
LY Africa/Tripoli 218 0, MA Africa/Casablanca 212 0, MC Europe/Monaco 377 0, MD Europe/Chisinau 373 0,
ME Europe/Podgorica 382 0, MF America/Marigot 590 0, MG Indian/Antananarivo 261 0, MH Pacific/Majuro 692 1,
MK Europe/Skopje 389 0, ML Africa/Bamako 223, MM Asia/Yangon 95 0, MN Asia/Ulaanbaatar 976 0, MO Asia/Macau 853,
MP Pacific/Saipan 1 1, MQ America/Martinique 596 0, MR Africa/Nouakchott 222, MS America/Montserrat 1 1,
MT Europe/Malta 356, MU Indian/Mauritius 230, MV Indian/Maldives 960, MW Africa/Blantyre 265 0,
MX America/Mexico_City 52, MY Asia/Kuala_Lumpur 60 0, MZ Africa/Maputo 258, NA Africa/Windhoek 264 0,
NC Pacific/Noumea 687, NE Africa/Niamey 227, NF Pacific/Norfolk 672, NG Africa/Lagos 234 0, NI America/Managua 505,
NL Europe/Amsterdam 31 0, NO Europe/Oslo 47, NP Asia/Kathmandu 977 0, NR Pacific/Nauru 674, NU Pacific/Niue 683,
NZ Pacific/Auckland 64 0, OM Asia/Muscat 968, PA America/Panama 507, PE America/Lima 51 0, PF Pacific/Tahiti 689,
PG Pacific/Port_Moresby 675, PH Asia/Manila 63 0, PK Asia/Karachi 92 0, PL Europe/Warsaw 48, PM America/Miquelon 508 0,
PN Pacific/Pitcairn 64 0, PR America/Puerto_Rico 1 1, PS Asia/Hebron 970 0, PT Europe/Lisbon 351, PW Pacific/Palau 680,
PY America/Asuncion 595 0, QA Asia/Qatar 974, RE Indian/Reunion 262 0, RO Europe/Bucharest 40 0,
RS Europe/Belgrade 381 0, RU Europe/Moscow 7 8, RW Africa/Kigali 250 0, SA Asia/Riyadh 966 0,
SB Pacific/Guadalcanal 677, SC Indian/Mahe 248, SD Africa/Khartoum 249 0, SE Europe/Stockholm 46 0,
SG Asia/Singapore 65, SH Atlantic/St_Helena 290, SI Europe/Ljubljana 386 0, SJ Arctic/Longyearbyen 47,
SK Europe/Bratislava 421 0, SL Africa/Freetown 232 0, SM Europe/San_Marino 378, SN Africa/Dakar 221,
SO Africa/Mogadishu 252 0, SR America/Paramaribo 597, SS Africa/Juba 211 0, ST Africa/Sao_Tome 239,
SV America/El_Salvador 503, SX America/Lower_Princes 1 1, SY Asia/Damascus 963 0, SZ Africa/Mbabane 268,
TC America/Grand_Turk 1 1, TD Africa/Ndjamena 235, TF Indian/Kerguelen 262 0, TG Africa/Lome 228, TH Asia/Bangkok 66 0,
TJ Asia/Dushanbe 992, TK Pacific/Fakaofo 690, TL Asia/Dili 670, TM Asia/Ashgabat 993 8, TN Africa/Tunis 216,
TO Pacific/Tongatapu 676, TR Europe/Istanbul 90 0, TT America/Port_of_Spain 1 1, TV Pacific/Funafuti 688,
TW Asia/Taipei 886 0, TZ Africa/Dar_es_Salaam 255 0, UA Europe/Kyiv 380 0, UG Africa/Kampala 256 0, UM Pacific/Wake 1 1,
US America/New_York 1 1, UY America/Montevideo 598 0, UZ Asia/Tashkent 998, VA Europe/Vatican 39,
VC America/St_Vincent 1 1, VE America/Caracas 58 0, VG America/Tortola 1 1, VI America/St_Thomas 1 1,
VN Asia/Ho_Chi_Minh 84 0, VU Pacific/Efate 678, WF Pacific/Wallis 681, WS Pacific/Apia 685, YE Asia/Aden 967 0,
YT Indian/Mayotte 262 0, ZA Africa/Johannesburg 27 0, ZM Africa/Lusaka 260 0, ZW Africa/Harare 263 0`

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

/**
 * `country`: two capital letters of ISO 3166. Undefined for no country, and for a code that ISO
 * does not know.
 */
export const factsOf = (country: string | null): CountryFacts | undefined =>
  byCode.get(country ?? '')
