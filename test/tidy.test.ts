// Keeps the English plain: without this test, words that only the authors understand come back. Each failure names the file,
// the line and what to write instead.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { parseAst } from 'vitest/node'

const root = fileURLToPath(new URL('..', import.meta.url))
const ITSELF = 'test/tidy.test.ts'

const isLeftOut = /node_modules|\bgenerated\b|\bdist\b|\.svg$/

const filesUnder = (folder: string, kind: RegExp): readonly string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .map((file) => join(folder, file))
    .filter((file) => kind.test(file) && !isLeftOut.test(file) && file !== ITSELF)

const CODE = ['packages', 'test'].flatMap((folder) => filesUnder(folder, /\.(ts|js)$/))
const PAGES = ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', ...filesUnder('docs', /\.md$/)]

const linesOf = (file: string): readonly string[] => readFileSync(join(root, file), 'utf8').split('\n')

/** A line of text, and where it is. */
type Line = { readonly at: string; readonly text: string }

const locate = (file: string, lines: readonly string[]): readonly Line[] =>
  lines.map((text, index) => ({ at: `${file}:${index + 1}`, text }))

const COMMENT = /^\s*(?:\/\/|\/\*\*?|\*)\s?(.*?)(?:\*\/)?$|\s\/\/ (.*)$/

const commentsOf = (file: string): readonly Line[] =>
  locate(
    file,
    linesOf(file).map((line) => {
      const [, whole, trailing] = COMMENT.exec(line) ?? []
      return (whole ?? trailing ?? '').replaceAll(/`[^`]*`/g, 'code')
    }),
  )

/** The lines of a page without code blocks, tables and code in a line. */
const proseOf = (file: string): readonly Line[] => {
  let isCode = false
  return locate(
    file,
    linesOf(file).map((line) => {
      if (/^\s*(```|~~~)/.test(line)) isCode = !isCode
      return isCode || /^\s*(```|~~~|\||<)/.test(line) ? '' : line.replaceAll(/`[^`]*`/g, 'code')
    }),
  )
}

const DIALECT: readonly (readonly [found: RegExp, instead: string])[] = [
  [/\bwh(?:o|at|om)(?:so)?ever\b/i, 'name who or what it is; or any; or no matter what'],
  [/\banew\b/i, 'again'],
  [/\bbeside\b/i, 'next to, or in parallel with'],
  [/\bbe it\b/i, 'if, or whether'],
  [/\bof which\b/i, 'two sentences'],
  [/\btold\b(?! otherwise| to\b)/i, 'notified of, reported, or received'],
  [/\b(?:is|are|be) told\b/i, 'is notified, or receives'],
  [/\bin vain\b/i, 'without an effect, or unused'],
  [/\b(?:he|him|his|himself)\b/i, 'they, them, their; or name the role'],
  [/\bfor want of\b/i, 'because there is no'],
  [/\b(?:wants|wanted)\b/i, 'requires, asked for, or expected'],
  [/\bbut for\b/i, 'except for'],
  [/\bhence\b/i, 'so, or therefore'],
  [/\bthough it be\b/i, 'even if it is'],
  [/\bnor does\b.*\bnor\b/i, 'two sentences'],
  [/\bof late\b/i, 'recently'],
  [/\ball the same\b/i, 'still, or nevertheless'],
  [/\bof ours\b/i, 'internal, as in internal error'],
  [/\bon our side\b/i, 'internal error'],
  [/(?<!\bthere )\bis none\b(?! of\b)/i, 'is invalid, or does not exist'],
  [/\bstands?\b(?! still\b| for\b)/i, 'is'],
  [/\bcom(?:e|es|ing) to\b(?! rest\b)/i, 'ends as, adds up to, or reaches'],
  [/\bthere(?:of|in|by|upon)\b/i, 'of it, in it, by it'],
  [/\b(?:un)?parked\b/i, 'stuck, or retried'],
  [/\bwithdr(?:aw|awn|aws|ew|awal)\b/i, 'revoke'],
  [/\bhasten(?:s|ed)?\b/i, 'expedite'],
  [/\bcarr(?:y|ied|ies|ying) (?:them |it )?out\b/i, 'run, or make'],
  [/\bgiv(?:e|es|en|ing) back\b/i, 'release'],
  [/\bunbegun\b/i, 'not started'],
  [/\bdeciders?\b/i, 'provider'],
  [/\bmend(?:ed)?\b/i, 'correct, or fix'],
  [/\bhand(?:ed|s)? over\b/i, 'pass'],
  [/\bunless given\b/i, 'Default: and the value'],
  [/\bf(?:all|alls|ell) due\b/i, 'becomes due, became due'],
  [/\b(?:is|are|was) no sandbox\b/i, 'is not a sandbox'],
]

// The messages that the packages print, answer and log. The contracts in testing/ are tests.
const NO_MESSAGES = /\.test\.ts$|\/src\/testing\/|\/schema\/migrations\.ts$/
const SOURCES = filesUnder('packages', /\.ts$/).filter((file) => file.includes('/src/') && !NO_MESSAGES.test(file))

type Node = {
  readonly type?: string
  readonly id?: Node
  readonly init?: Node | null
  readonly start?: number
  readonly value?: unknown
  readonly name?: string
  readonly callee?: Node
  readonly object?: Node
  readonly tag?: Node
  readonly arguments?: readonly Node[]
  readonly quasis?: readonly { readonly value: { readonly raw: string } }[]
}

/** Null if the node is no literal. A template counts without its parameters. */
const literalOf = ({ type, value, quasis }: Node): string | null => {
  if (type === 'TemplateLiteral') return (quasis ?? []).map((part) => part.value.raw).join('')
  return type === 'Literal' && typeof value === 'string' ? value : null
}

/** The texts that `read` finds in the nodes of a file. */
const textsIn = (file: string, read: (node: Node) => string | null): readonly Line[] => {
  const source = readFileSync(join(root, file), 'utf8')
  const found: Line[] = []
  const collect = (node: Node): void => {
    const text = read(node)
    if (text !== null) found.push({ at: `${file}:${source.slice(0, node.start).split('\n').length}`, text })
    for (const child of Object.values(node)) if (typeof child === 'object' && child !== null) collect(child)
  }
  collect(parseAst(source, { lang: 'ts' }) as Node)
  return found
}

/** The literals of a file that contain a space: sentences, labels, and SQL. */
const textsOf = (file: string): readonly Line[] =>
  textsIn(file, (node) => {
    const text = literalOf(node)
    return text?.trim().includes(' ') ? text : null
  })

const TESTS = CODE.filter((file) => /\.(?:test|contract)\.ts$/.test(file))

/** The name that a call begins with: `it` for `it.each(rows)('title', test)`. */
const calledBy = ({ name, callee, object, tag }: Node): string | undefined => {
  const inner = callee ?? object ?? tag
  return inner === undefined ? name : calledBy(inner)
}

/** The titles of the tests in a file, and of their groups. */
const titlesOf = (file: string): readonly Line[] =>
  textsIn(file, (node) => {
    const [title, test] = node.arguments ?? []
    const isTest = node.type === 'CallExpression' && /^(?:it|test|describe)$/.test(calledBy(node) ?? '')
    return isTest && title !== undefined && test !== undefined ? literalOf(title) : null
  })

// SQL is in lower case up to its first verb.
const SQL = /^[^A-Z]*\b(?:(?:insert into|delete from|create table) \w|(?:select|update)\b[^;]*\b(?:from|set)\b)/

// Names on the wire and in the database, and Spanish.
// The name of a moment in a job's life, which tests give to `--at`.
const MOMENT = 'carried out'

const NAMES = /\bshopper\.forgotten\b|\border_ref, forgotten\b|\bkey_id tag sealed\b|\bHe leído\b/g

// In comments and pages, these words also have a plain meaning.
const DIALECT_OF_MESSAGES: typeof DIALECT = [
  ...DIALECT,
  [/\bforgot(?:ten)?\b/i, 'erased'],
  [/\b(?:un|re)?sealed\b/i, 'encrypted'],
  [/\bcan(?:not)? be opened\b/i, 'can be decrypted'],
  [/\bwanted is\b/i, 'must be'],
  [/\blook again\b/i, 'refresh'],
]

const DIALECT_OF_TITLES: typeof DIALECT = [
  ...DIALECT,
  [/\bwhere (?:no|nothing|nobody|somebody|others|what)\b/i, 'if'],
  [/\bas it stands\b/i, 'unchanged'],
  [/\bhowever (?:often|it)\b/i, 'no matter how'],
  [/\bknows (?:no|nobody)\b/i, 'does not find'],
  [/\bbrings? back\b/i, 'returns'],
  [/\bbegun\b/i, 'started'],
  [/\btells? of\b/i, 'reports'],
  [/\bwhere (?:it|he|there) is\b/i, 'if, or when'],
  [/(?<!\bthere )\bis none\b/i, 'is invalid, or does not exist'],
  [/\bcom(?:e|es) to\b/i, 'ends as, adds up to, or reaches'],
  [/\b(?:wants|wanted)\b/i, 'requires, or expects'],
  [/\bhas been said\b/i, 'name the event'],
  [/\bstands\b/i, 'is'],
]

/** The most words of a sentence on a page, or of a title. */
const LONGEST = 35

const wordsIn = (sentence: string): number => sentence.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length

describe('plain English', () => {
  it('comments and pages use the words of the field, not of a dialect', () => {
    const lines = [...CODE.flatMap(commentsOf), ...PAGES.flatMap(proseOf)]
    const found = lines.flatMap(({ at, text }) =>
      DIALECT.flatMap(([word, instead]) => {
        const [match] = word.exec(text) ?? []
        return match === undefined ? [] : `${at} says "${match}". Write instead: ${instead}.`
      }),
    )
    expect(found).toEqual([])
    expect(lines.length).toBeGreaterThan(10_000)
  })

  it('messages use the words of the field, not of a dialect', () => {
    const texts = SOURCES.flatMap(textsOf).filter(({ text }) => !SQL.test(text) && text !== MOMENT)
    const found = texts.flatMap(({ at, text }) =>
      DIALECT_OF_MESSAGES.flatMap(([word, instead]) => {
        const [match] = word.exec(text.replaceAll(NAMES, 'name')) ?? []
        return match === undefined ? [] : `${at} says "${match}". Write instead: ${instead}.`
      }),
    )
    expect(found).toEqual([])
    expect(texts.length).toBeGreaterThan(1_000)
  })

  it('titles of tests use the words of the field, and have at most 35 words', () => {
    const titles = TESTS.flatMap(titlesOf)
    const found = titles.flatMap(({ at, text }) => [
      ...DIALECT_OF_TITLES.flatMap(([word, instead]) => {
        const [match] = word.exec(text) ?? []
        return match === undefined ? [] : `${at} says "${match}". Write instead: ${instead}.`
      }),
      ...(wordsIn(text) > LONGEST ? [`${at} has ${wordsIn(text)} words: ${text}`] : []),
    ])
    expect(found).toEqual([])
    expect(titles.length).toBeGreaterThan(1_500)
  })

  it('the first comment of a file says why the file exists', () => {
    const headers = CODE.flatMap((file) => {
      const [first = ''] = linesOf(file)
      const [, text = ''] = /^\/\/ (.*)$/.exec(first) ?? []
      return /^(?:What|Who|Whose|Whom|Whether)\b/.test(text) ? `${file} begins with "${text}"` : []
    })
    expect(headers).toEqual([])
  })

  it('a file has one header: every later comment belongs to the code below it', () => {
    const loose = CODE.filter((file) => !/\/index\.ts$/.test(file)).flatMap((file) => {
      const lines = linesOf(file)
      const isComment = (at: number): boolean => lines[at]?.startsWith('// ') ?? false
      return lines.flatMap((text, at) => {
        if (!isComment(at) || isComment(at + 1) || lines[at + 1] !== '') return []
        const first = lines.findLastIndex((_, before) => before < at && !isComment(before)) + 1
        const isHeader = first <= 1
        return isHeader || lines[first - 1] !== '' ? [] : [`${file}:${first + 1} is a second header: ${text}`]
      })
    })
    expect(loose).toEqual([])
  })
})

/** Names of earlier versions, and what they are called now. They must not return. */
const OLD_NAMES: Readonly<Record<string, string>> = {
  handOver: 'onCommitted',
  giveBack: 'release',
  unpark: 'retryStuckJob',
  isStill: 'isUnchanged',
  carryOut: 'executeEffect',
  carryOutDue: 'runDueEffects',
  settleEntry: 'completeJob',
  GivenBackAs: 'ReleasedAs',
  Backlog: 'QueueStats',
  WorkClass: 'QueueName',
  workClass: 'queueNameOf',
  Deciders: 'Providers',
  sandboxDeciders: 'sandboxProviders',
  PortFailure: 'ProviderError',
  OrderUnknown: 'OrderNotFound',
  EntryUnknown: 'JobNotFound',
  DeliveryUnknown: 'DeliveryNotFound',
  DeliveryForgotten: 'DeliveryErased',
  MerchantUnknown: 'MerchantNotFound',
  findHolder: 'findByReference',
  whyStillNeeded: 'erasureBlocker',
  messageOf: 'errorMessage',
  UNTELLABLE: 'UNKNOWN_ERROR',
  merchantHasSpoken: 'merchantConfirmed',
  hastenIpn: 'expediteIpn',
  watchRisk: 'monitorRisk',
  judgeEvent: 'classifyEventResponse',
  judgeIpn: 'classifyIpnResponse',
  judgeCancel: 'classifyCancelResponse',
  decidedByBody: 'statusesThatNeedBody',
  responseKept: 'truncateResponse',
  whyUnaccepted: 'rejectionReason',
  toldAs: 'documentedAs',
  judgedOrder: 'partialOrder',
  LOOKED_THROUGH: 'SCAN_LIMIT',
  openHome: 'openStorage',
  withHome: 'withStorage',
  memoryOfRows: 'createLruCache',
  placeOfSnapshot: 'aadForSnapshot',
  passingBy: 'trackUndecryptableJobs',
  Sealer: 'Cipher',
  takeOverFromTheDead: 'reclaimFromDeadProcesses',
  SandboxShelf: 'SandboxStore',
  movableClock: 'createTestClock',
  lookedUpHosts: 'createDnsPrecheck',
  guardedLookup: 'createSafeLookup',
  keptConnections: 'createKeepAliveAgents',
  answerOnce: 'createRespondOnce',
  dispatcherPlaces: 'createWorkerSlots',
  readFirst: 'batchRequests',
  UnfitSetting: 'InvalidSetting',
  courierFrom: 'createWebhookSender',
  leadsOn: 'usesProviderPage',
  openWorld: 'openHarness',
  toldOrder: 'orderFixture',
  bytesBeside: 'encodeRows',
  Taker: 'CommitListener',
  Settled: 'CompletionResult',
  isSettled: 'wasApplied',
  Conclusion: 'AttemptResult',
  Ending: 'FinalStatus',
  WorkKind: 'EffectKind',
  ToldContext: 'StoredContext',
  merchantTakesNoIpn: 'hasNoIpnUrl',
  askMerchant: 'clearMerchantConfirmation',
  takePerson: 'storePerson',
  forgetPerson: 'resetPerson',
  bindAgreement: 'fixAgreement',
  recordStray: 'markUnexpectedPayment',
  IPN_WEEK: 'IPN_DEADLINE',
  detailOf: 'journalDetail',
  recordNews: 'recordProviderCallback',
  ProviderNews: 'ProviderUpdate',
  isPaymentNews: 'changesPayment',
  thrownIn: 'thrownField',
  againAt: 'retryAt',
  isOfNoUse: 'isExpired',
  Courier: 'WebhookSender',
  Performers: 'EffectHandlers',
  Heard: 'HttpResponse',
  amongTheLast: 'searchRecent',
  ownLane: 'the functions of sql/resend.ts',
  readingOf: 'withOrderRef',
  isPlain: 'hasNoPersonalData',
  runTrusting: 'runBatch',
  runGuarded: 'runBatchWithSavepoints',
  Phased: 'plain functions over arrays',
  writingBeside: 'threadedWriter',
  writingHere: 'inlineWriter',
  onForget: 'onInvalidate',
  Questioned: 'ProviderRequest',
  giveUpAhead: 'releasePrefetched',
  Forgetting: 'ShopperErasure',
  StuckEntry: 'StuckJob',
  shelf: 'sandboxStore',
  vault: 'dataKeys',
  deciders: 'providers',
}

const OLD_FILE_NAMES: ReadonlySet<string> = new Set([
  'handing-over',
  'making-due',
  'own-file',
  'seal-old',
  'trying',
  'away',
  'gathering',
  'batching',
  'endings',
  'passing-by',
  'key-keeping',
  'key-proofs',
  'shelf',
  'movable-clock',
  'exchange',
  'kept-connections',
  'looked-up-hosts',
  'guarded-lookup',
  'address-guard',
  'answer-once',
  'answer-memory',
  'question',
  'places',
  'read-first',
  'keep-compiled',
  'unreadable',
  'unfit-setting',
  'repeating',
  'turns',
  'walk',
  'reach',
  'order-sheet',
  'one-order',
  'told-order',
  'notebook',
  'carry-out',
  'settle-entry',
  'forgotten',
  'thrown',
  'awaited',
  'proving',
  'phrases',
  'composed',
  'transition',
  'beside',
  'home',
  'kept-order',
  'plain-work',
  'old-batch',
  'memory-of-rows',
  'front',
  'doors',
  'gcm',
  'sealer',
  'bytes-beside',
  'shown-delivery',
  'news',
  'deciders',
  'forgetting',
  'conclusion',
  'product-query',
  'decoded',
  'in-vain',
  'paused-way',
  'memory-of-orders',
  'final-account',
  'mortal-server',
  'hearing',
  'death',
  'market',
  'life',
  'story',
  'witness',
  'staff',
  'calm',
  'weather',
  'own-accounts',
  'looked-up',
  'committing',
  'calls',
  'phases',
  'rows-of-step',
  'reference-text',
  'row-of-key',
  'of-one-order',
  'again',
  'works',
  'deciding',
  'settling',
  'caught',
  'waiting',
  'told-context',
  'own-order',
])

// A value needs a noun, such as `value`, `overrides`, `result`, `rows`.
const VAGUE = '(?:given|made|said|came|news|told|heard|judged|spoken|led|wanted)'
const TYPES = '(?:[A-Z(]|readonly|string|number|unknown|object|boolean)'
const VAGUE_NAMES = new RegExp(
  `\\b(?:const|let) (${VAGUE})(?= = | of )|[(,] ?(${VAGUE})\\??: (?=${TYPES})|\\((${VAGUE})\\) =>`,
  'g',
)

// A function needs a verb. These are answers of a shop, values of a codec, and the stages of a checkout that e2e tests reach.
const PARTICIPLE = /\bconst [a-z]+(?:ed|ing) = (?:async |[(<]|\w+ =>)/
const ALLOWED_PARTICIPLES =
  /^(?:cancelled|refused|refined|unchanged|setting|identified|screened|revealed|settled|heading|ring)$/

const PRODUCTION_LINES_MAX = 300
const TEST_LINES_MAX = 600
const TINY_LINES = 15

// Files that other programs open by name: entry points, threads and processes.
const isEntryPoint = (file: string): boolean =>
  /\/(index|main|cli|signing|thread|hmac)\.ts$/.test(file) || /-(thread|process|server)\.ts$/.test(file)

describe('names and sizes', () => {
  it('old names do not return', () => {
    const words = new RegExp(`\\b(?:${Object.keys(OLD_NAMES).join('|')})\\b`, 'g')
    const found = CODE.flatMap((file) =>
      locate(file, linesOf(file)).flatMap(({ at, text }) =>
        [...text.matchAll(words)].map(([name]) => `${at} says ${name}. It is called ${OLD_NAMES[name]} now.`),
      ),
    )
    expect(found).toEqual([])
    const files = CODE.filter((file) =>
      OLD_FILE_NAMES.has(file.replace(/^.*\/|(?:\.test|\.sql|\.contract)?\.[jt]s$/g, '')),
    )
    expect(files).toEqual([])
  })

  it('values are named by nouns', () => {
    const found = CODE.filter((file) => file.endsWith('.ts')).flatMap((file) =>
      locate(file, linesOf(file))
        .filter(({ text }) => !/^\s*(?:\/\/|\*|\/\*)/.test(text))
        .flatMap(({ at, text }) =>
          [...text.matchAll(VAGUE_NAMES)].map(
            ([, value, typed, sole]) => `${at} declares ${value ?? typed ?? sole}. Name what it holds.`,
          ),
        ),
    )
    expect(found).toEqual([])
  })

  it('functions are named by verbs', () => {
    const found = CODE.filter((file) => file.endsWith('.ts') && PARTICIPLE.test(linesOf(file).join('\n')))
      .flatMap((file) =>
        textsIn(file, ({ type, id, init }) => {
          const isFunction = type === 'VariableDeclarator' && init?.type === 'ArrowFunctionExpression'
          return isFunction && /^[a-z]+(?:ed|ing)$/.test(id?.name ?? '') ? (id?.name ?? '') : null
        }),
      )
      .filter(({ text }) => !ALLOWED_PARTICIPLES.test(text))
    expect(found.map(({ at, text }) => `${at} is the function ${text}. Begin its name with a verb.`)).toEqual([])
  })

  it('a file fits on a few screens', () => {
    const long = CODE.filter((file) => file.endsWith('.ts')).flatMap((file) => {
      const isTest = file.startsWith('test/') || /\.test\.ts$|\/testing\//.test(file)
      const [lines, max] = [linesOf(file).length - 1, isTest ? TEST_LINES_MAX : PRODUCTION_LINES_MAX]
      return lines > max ? [`${file} has ${lines} lines; split it, so that each part has at most ${max}`] : []
    })
    expect(long).toEqual([])
  })

  it('no file only passes on exports, or holds one constant', () => {
    const tiny = CODE.filter(
      (file) => /^packages\/.*\.ts$/.test(file) && !file.endsWith('.test.ts') && !isEntryPoint(file),
    ).filter((file) => {
      const lines = linesOf(file).filter((line) => line.trim() !== '' && !line.startsWith('//'))
      const isPassing = lines.every((line) => /^export (?:type )?[*{]|^ {2}[\w ,]+$|^\} from /.test(line))
      const declarations = lines.filter((line) => /^(?:export )?(?:const|type|function)\b/.test(line))
      const isConstant =
        lines.length < TINY_LINES &&
        declarations.length === 1 &&
        /^(?:export )?const\b/.test(declarations[0] ?? '') &&
        !lines.some((line) => line.includes('=>') || /^(?:if|\w+\()/.test(line))
      return isPassing || isConstant
    })
    expect(tiny).toEqual([])
  })
})

/** A page's paragraphs and items, each as one text. */
const paragraphsOf = (file: string): readonly Line[] => {
  const paragraphs: { readonly at: string; text: string }[] = []
  let isOpen = false
  for (const { at, text } of proseOf(file)) {
    const isItem = /^\s*(?:[-*]|\d+\.)\s/.test(text)
    const isEnd = text.trim() === '' || /^#/.test(text)
    const last = paragraphs.at(-1)
    if (isEnd) isOpen = false
    else if (isOpen && !isItem && last !== undefined) last.text += ` ${text.trim()}`
    else {
      paragraphs.push({ at, text: text.replace(/^\s*(?:[-*]|\d+\.)\s+/, '').trim() })
      isOpen = true
    }
  }
  return paragraphs
}

// Links count by their text. An abbreviation ends no sentence. The name plazo may begin one.
const sentencesOf = (text: string): readonly string[] =>
  text
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/\b(?:e\.g|i\.e|etc|vs)\./g, 'so')
    .split(/(?<=[.!?:])["’”)*_]*\s+(?=["“(*_]*(?:[\p{Lu}\d]|plazo\b))/u)
    .filter((sentence) => /\p{L}/u.test(sentence))

describe('sentences of the pages', () => {
  const AVERAGE = 20

  it(`have at most ${LONGEST} words`, () => {
    const long = PAGES.flatMap(paragraphsOf).flatMap(({ at, text }) =>
      sentencesOf(text)
        .filter((sentence) => wordsIn(sentence) > LONGEST)
        .map((sentence) => `${at} has ${wordsIn(sentence)} words: ${sentence}`),
    )
    expect(long).toEqual([])
  })

  it.each(PAGES)(`have at most ${AVERAGE} on average in %s`, (page) => {
    const lengths = paragraphsOf(page).flatMap(({ text }) => sentencesOf(text).map(wordsIn))
    const average = lengths.reduce((sum, length) => sum + length, 0) / Math.max(1, lengths.length)
    expect(average).toBeLessThanOrEqual(AVERAGE)
  })
})

describe('names of files in pages and comments', () => {
  const FILES = [ITSELF, ...['packages', 'test', 'docs'].flatMap((folder) => filesUnder(folder, /\.(ts|js)$/))]

  // A page may leave out `packages/` and `src/`: `core/order/step.ts`, or only `step.ts`.
  const inPackage = (name: string): string => name.replace(/^(core|adapters|server)\//, 'packages/$1/src/')

  it('are those of existing files', () => {
    const named = PAGES.filter((page) => page !== 'CHANGELOG.md').flatMap((page) =>
      locate(page, linesOf(page)).flatMap(({ at, text }) =>
        [...text.matchAll(/`(\w[\w/.-]*\.(?:ts|js))`/g)].map(([, name = '']) => ({ at, name })),
      ),
    )
    const missing = named.filter(({ name }) => !FILES.some((file) => `/${file}`.endsWith(`/${inPackage(name)}`)))
    expect(missing.map(({ at, name }) => `${at} names ${name}, which does not exist`)).toEqual([])
    expect(named.length).toBeGreaterThan(100)
  })

  it('are those of existing files in comments too', () => {
    const named = CODE.flatMap(commentsOf).flatMap(({ at, text }) =>
      [...text.matchAll(/[\w/.-]*\w\.ts\b/g)].map(([name]) => ({ at, name: name.replace(/^[./]+/, '') })),
    )
    const missing = named.filter(({ name }) => !FILES.some((file) => `/${file}`.endsWith(`/${inPackage(name)}`)))
    expect(missing.map(({ at, name }) => `${at} names ${name}, which does not exist`)).toEqual([])
  })

  it('are, as the text of a link, the file that the link leads to', () => {
    const wrong = PAGES.flatMap((page) =>
      [...readFileSync(join(root, page), 'utf8').matchAll(/\[`([^`\]]+\.ts)`\]\(([^)]+)\)/g)]
        .filter(([, text = '', target = '']) => !`/${target}`.endsWith(`/${text}`))
        .map(([link]) => `${page}: ${link}`),
    )
    expect(wrong).toEqual([])
  })
})
