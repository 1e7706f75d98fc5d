// The tables, as numbered steps from an empty database to the current one. A step that has been on
// `main` never changes, and only adds and copies, because a server of the former version may go on
// next to it (CONTRIBUTING.md).
import type { Migration } from '../../sql/schema-fingerprint.ts'

export const MIGRATIONS: readonly Migration[] = [
  {
    fingerprint: 'fb3d8c3a5fabce5d',
    sql: `
  -- Rows are appended. The random uuid is only in an index, so that inserts change few pages. version: grows with each change of
  -- the order or of one of its jobs. job_count: how many jobs it has had. last_line: of the journal.
  -- The columns from checkout on are what lists find an order by (core's OrderFacts).
  create table orders (
    id integer primary key,
    order_ref text not null unique,
    merchant_ref text not null,
    held_reference text,
    revision integer not null,
    version integer not null default 0,
    job_count integer not null,
    snapshot any not null,
    last_line integer,
    checkout text not null,
    lasting text,
    risk text,
    cancellation text,
    placed_at integer not null,
    changed_at integer not null,
    search_1 text,
    search_2 text
  ) strict;
  create unique index orders_held on orders (merchant_ref, held_reference) where held_reference is not null;
  create index orders_placed on orders (placed_at, id);
  create index orders_merchant on orders (merchant_ref, id);
  -- Most steps change no entry of these: orders pass through the other states.
  create index orders_lasting on orders (lasting, id) where lasting is not null;
  create index orders_risk on orders (risk, id) where risk is not null;
  create index orders_cancellation on orders (cancellation, id) where cancellation is not null;
  create index orders_search_1 on orders (search_1) where search_1 is not null;
  create index orders_search_2 on orders (search_2) where search_2 is not null;

  -- The part of an order that never changes has a table of its own: a step then writes small rows, many to a page.
  create table placements (
    order_id integer primary key,
    placed any not null,
    payload any
  ) strict;

  -- Lines of all orders are appended. Each has the number of its order's line before it. Kept together by order, every step
  -- would write a page of its own.
  create table journal (
    id integer primary key,
    order_id integer not null,
    seq integer not null,
    at integer not null,
    event text not null,
    detail text,
    from_state text not null,
    to_state text not null,
    input any,
    previous integer
  ) strict;
  -- Where each order's journal begins. Lines never move, so this index is only appended to.
  create index journal_begins on journal (order_id) where previous is null;

  -- The jobs of an order are numbered by n, and change only with its version. id: the sequence in which lists have them.
  -- state: queued (waits for another in its lane), pending, then its final status, or stuck.
  -- event: the event of a delivery, for lists that need no key. work: null once the shopper's data was erased.
  -- cause: who asked for the next attempt, if anybody did. resend_of: the number of the finished delivery that this row sends once
  -- more. Such a row is in no lane, so it neither waits for the order's lanes nor holds them up, and is deleted when that is done.
  -- queue: event, ipn, or work for internal jobs. attempts: the highest number of an attempt that has ended. tries: how many of the
  -- row's own have. account: merchants of one account count together.
  create table outbox (
    id integer primary key,
    order_id integer not null,
    n integer not null,
    revision integer not null,
    lane text not null,
    queue text not null,
    merchant text not null,
    account text not null,
    event text,
    work any,
    state text not null,
    due_at integer not null,
    expires_at integer,
    excludes text,
    attempts integer not null,
    tries integer not null,
    first_at integer,
    revoked integer not null,
    message any,
    made_at integer not null,
    cause text,
    resend_of integer
  ) strict;
  create unique index outbox_jobs on outbox (order_id, n);
  create index outbox_due on outbox (queue, due_at, order_id, n) where state = 'pending';
  create index outbox_due_of on outbox (queue, merchant, due_at, order_id, n) where state = 'pending' and queue <> 'work';
  create index outbox_stuck on outbox (id) where state = 'stuck';
  create unique index outbox_resends on outbox (order_id, resend_of) where resend_of is not null;
  create index outbox_of_order on outbox (order_id, id) where queue <> 'work' and resend_of is null;
  create index outbox_of_merchant on outbox (merchant, id) where queue <> 'work' and resend_of is null;
  -- A delivery that succeeds is never in this index.
  create index outbox_unaccepted on outbox (merchant, id)
    where queue <> 'work' and state in ('queued', 'exhausted', 'stopped', 'unsupported', 'stuck');
  -- What was given up, of all merchants. Few deliveries ever are.
  create index outbox_exhausted on outbox (id) where state = 'exhausted';
  -- A delivery that succeeds at once is never in this index.
  create index outbox_failing on outbox (order_id) where queue <> 'work' and resend_of is null and (
    state = 'exhausted' or state = 'pending' and attempts > 0
    or state = 'stopped' and attempts > 0 and queue = 'ipn');

  -- job: the delivery's number in its order. report: what was sent and answered, encrypted. Null once the shopper's data was erased.
  create table attempts (
    order_id integer not null,
    job integer not null,
    n integer not null,
    cause text not null,
    started_at integer not null,
    outcome text not null,
    duration integer,
    status integer,
    error text,
    report blob,
    primary key (order_id, job, n)
  ) strict;

  -- Of each endpoint: kind is event or ipn. is_good: whether the last attempt that ended was good, as core's isGoodAttempt says.
  -- Null: the endpoint was never called. Rows stay for ever.
  create table endpoints (
    merchant text not null,
    kind text not null,
    is_good integer,
    last_good_at integer,
    failing_since integer,
    failures integer not null default 0,
    primary key (merchant, kind)
  ) strict, without rowid;
  create index endpoints_failing on endpoints (failing_since) where failing_since is not null;

  -- Orders that wait for an operator, so that finding and counting them costs nothing for the others. What waits of one merchant is
  -- one range of an index.
  create table operator_tasks (
    order_id integer primary key,
    merchant_ref text not null,
    why text not null,
    since integer not null
  ) strict;
  create index operator_tasks_why on operator_tasks (why, order_id);
  create index operator_tasks_since on operator_tasks (why, since);
  create index operator_tasks_merchant on operator_tasks (merchant_ref, why, order_id);
  create index operator_tasks_merchant_since on operator_tasks (merchant_ref, why, since);

  -- about: JSON. secrets: the current signature secret and replaced ones, as encrypted JSON.
  create table merchants (
    id integer primary key,
    ref text not null unique,
    username text not null,
    about text not null,
    secrets text not null
  ) strict;
  create index merchants_account on merchants (username);

  -- Personal data is encrypted under its order's data key. An encrypted column holds a blob.
  create table data_keys (
    order_id integer primary key,
    key_id text not null,
    tag integer not null,
    ciphertext blob not null
  ) strict;

  -- Each connection remembers data keys until this number changes: one was destroyed, or encrypted under another master key.
  create table key_changes (
    only integer primary key check (only = 1),
    count integer not null
  ) strict;
  insert into key_changes values (1, 0);
  create trigger data_keys_updated after update on data_keys begin update key_changes set count = count + 1; end;
  create trigger data_keys_deleted after delete on data_keys begin update key_changes set count = count + 1; end;

  -- Every master key in use, with an encrypted text that tells it from another of the same name. is_in_use: a server that has
  -- this key was started; nothing is encrypted again under it before.
  create table master_keys (
    id text primary key,
    proof text not null,
    is_in_use integer not null default 0
  ) strict, without rowid;

  -- Finds cards by their owner without storing who that is.
  create table lookup_key (
    only integer primary key check (only = 1),
    secret text not null
  ) strict;

  -- key: unique within its kind, if it is not null. content: JSON, encrypted under the order's data key or, without an order,
  -- under a key of the database. Ids are not used a second time, because clients ask for what follows one.
  create table records (
    id integer primary key autoincrement,
    kind text not null,
    key text,
    order_id integer,
    merchant_ref text,
    at integer not null,
    content blob not null
  ) strict;
  create unique index records_key on records (kind, key) where key is not null;
  create index records_order on records (order_id) where order_id is not null;
  `,
  },
  {
    fingerprint: 'b76c54db6ff02871',
    sql: `
  -- number: a keyed hash. sent_at: JSON, the instants of the codes that were sent to it.
  create table code_counts (
    number text primary key,
    sent_at text not null,
    last_at integer not null
  ) strict, without rowid;
  `,
  },
  {
    fingerprint: 'e8edf98f707e9ad6',
    sql: `
  -- A keyed hash of the shopper's phone and ID number, by which orders of one person are found.
  alter table orders add column person text;
  create index orders_person on orders (person, id) where person is not null;
  `,
  },
]
