// The tables, as numbered steps from an empty database to the current one. A step that has been on
// `main` never changes, and only adds and copies, because a server of the former version may go on
// next to it (CONTRIBUTING.md). The first is the baseline.
import type { Migration } from '../../sql/schema-fingerprint.ts'
import { BASELINE } from './baseline.ts'

export const MIGRATIONS: readonly Migration[] = [
  BASELINE,
  {
    fingerprint: 'c81454c6ce8b5a10',
    sql: `
  -- Next to the version, which is user_version.
  create table schema_fingerprint (
    only integer primary key check (only = 1),
    fingerprint text not null
  ) strict;
  `,
  },
  {
    fingerprint: 'ac080f80d09e65c4',
    sql: `
  -- What the word in error leaves open, encrypted: the target of a redirect may contain anything.
  alter table attempts add column error_reason blob;
  `,
  },
  {
    fingerprint: '5500513b3c4def8c',
    sql: `
  -- key: unique within its kind, if it is not null. content: JSON, encrypted under the order's data key or, without an order,
  -- under a key of the database. Ids are not used a second time, because clients ask for what follows one.
  create table records (
    id integer primary key autoincrement,
    kind text not null,
    key text,
    order_id integer,
    merchant_ref text,
    at integer not null,
    content any not null
  ) strict;
  create index records_key on records (kind, key) where key is not null;
  create index records_order on records (order_id) where order_id is not null;
  create index records_merchant on records (kind, merchant_ref);

  -- The tables sandbox_… stay for servers of the former version. The next version drops them. What is encrypted there is
  -- readable here, because its place, to which it is bound, is its kind and the last part of its key.
  insert into records (id, kind, order_id, merchant_ref, at, content)
    select id, kind, order_id, merchant_ref, at, content from sandbox_records order by id;
  insert into records (kind, key, order_id, at, content)
    select 'message', key, order_id, at, message from sandbox_messages order by id;
  insert into records (kind, key, order_id, at, content)
    select 'card', lower(hex(owner)) || '/' || lower(hex(name)), order_id, 0, card from sandbox_cards order by id;
  insert into records (kind, key, merchant_ref, at, content)
    select 'drill_setting', substr(name, 7), merchant_ref, 0, value from sandbox_settings where name like 'drill.%';
  insert into records (kind, key, merchant_ref, at, content)
    select 'inbox_token', substr(name, 7), merchant_ref, 0, 'null' from sandbox_settings where name like 'inbox.%';
  insert into records (kind, key, merchant_ref, at, content)
    select 'fork', replace(substr(name, 6), ' ', '/'), merchant_ref, 0, 'null' from sandbox_settings where name like 'fork %';

  -- The clock is the sum of what each process has moved it. While servers of the former version run, all of theirs are one
  -- process, and they see the sum.
  insert or ignore into sandbox_clock values (1, 0);
  insert into records (kind, key, at, content) select 'clock', 'former', offset, 'null' from sandbox_clock;
  create trigger records_clock after insert on records when new.kind = 'clock' begin
    update sandbox_clock set offset = (select sum(at) from records where kind = 'clock');
  end;
  create trigger sandbox_clock_moved after update on sandbox_clock begin
    update records
      set at = new.offset - (select coalesce(sum(at), 0) from records where kind = 'clock' and key <> 'former')
      where kind = 'clock' and key = 'former';
  end;

  -- Whichever version erases a shopper replaces the order's key.
  create trigger data_keys_replaced after update of tag on data_keys when old.tag <> new.tag begin
    delete from records where order_id = new.order_id;
    delete from sandbox_messages where order_id = new.order_id;
    delete from sandbox_cards where order_id = new.order_id;
    delete from sandbox_records where order_id = new.order_id;
  end;
  `,
  },
  {
    fingerprint: 'bc3eea2d24adbddd',
    sql: `
  -- Of each endpoint: kind is event or ipn. Rows stay for ever.
  create table endpoints (
    merchant text not null,
    kind text not null,
    last_good_at integer,
    failing_since integer,
    failures integer not null default 0,
    paused_until integer,
    primary key (merchant, kind)
  ) strict, without rowid;
  create index endpoints_failing on endpoints (failing_since) where failing_since is not null;
  create index endpoints_paused on endpoints (kind) where paused_until is not null;

  create table endpoint_hours (
    merchant text not null,
    kind text not null,
    address text not null,
    hour integer not null,
    attempts integer not null default 0,
    failures integer not null default 0,
    lost integer not null default 0,
    last_at integer not null,
    last_status integer,
    last_error text,
    primary key (merchant, kind, address, hour)
  ) strict, without rowid;
  create index endpoint_hours_hour on endpoint_hours (hour);

  -- What was sent in an attempt, encrypted: a URL may contain anything.
  alter table attempts add column request blob;
  -- A former version that erases a shopper does not know the column.
  create trigger data_keys_replaced_requests after update of tag on data_keys when old.tag <> new.tag begin
    update attempts set request = null where request is not null and delivery_id in (
      select id from outbox where order_id = new.order_id and queue <> 'work' and resend_of is null);
  end;
  `,
  },
  {
    fingerprint: '0ff874bda7726997',
    sql: `
  -- What lists find an order by; see core's OrderFacts. They are those of the order at facts_revision. Rows at another revision
  -- were written by a former version, and background work fills them in. search_1, search_2: the beginnings of its references.
  alter table orders add column checkout text;
  alter table orders add column lasting text;
  alter table orders add column risk text;
  alter table orders add column cancellation text;
  alter table orders add column product text;
  alter table orders add column amount integer;
  alter table orders add column placed_at integer;
  alter table orders add column changed_at integer;
  alter table orders add column search_1 text;
  alter table orders add column search_2 text;
  alter table orders add column facts_revision integer;
  create index orders_unindexed on orders (id) where facts_revision is not revision;
  create index orders_placed on orders (placed_at, id) where placed_at is not null;
  create index orders_merchant on orders (merchant_ref, id);
  -- Most steps change no entry of these: orders pass through the other states.
  create index orders_lasting on orders (lasting, id) where lasting is not null;
  create index orders_risk on orders (risk, id) where risk is not null;
  create index orders_cancellation on orders (cancellation, id) where cancellation is not null;
  create index orders_search_1 on orders (search_1) where search_1 is not null;
  create index orders_search_2 on orders (search_2) where search_2 is not null;
  -- A delivery that succeeds at once is never in this index.
  create index outbox_failing on outbox (order_id) where queue <> 'work' and resend_of is null and (
    state = 'exhausted' or state = 'pending' and attempts > 0 or state = 'claimed' and attempts > 1
    or state = 'stopped' and attempts > 0 and queue = 'ipn');
  `,
  },
  {
    fingerprint: '0ff874bda7726997',
    sql: `
  -- The hours of a few merchants since an instant, without those before it.
  create index endpoint_hours_merchant on endpoint_hours (merchant, hour);
  `,
  },
  {
    fingerprint: '5ee22492ed140dc9',
    sql: `
  -- 1 if the last attempt that ended was good, as core's isGoodAttempt says. Null: the endpoint was never called.
  alter table endpoints add column is_good integer;
  update endpoints set is_good = failing_since is null where failing_since is not null or last_good_at is not null;
  `,
  },
  {
    fingerprint: '5ee22492ed140dc9',
    sql: `
  -- Each page of the console counts what waits, without reading the orders.
  create index operator_tasks_since on operator_tasks (why, since);
  `,
  },
  {
    fingerprint: 'f63f73ae35bcbfdc',
    sql: `
  -- What waits of one merchant is one range of an index: for its list, and for its counts.
  alter table operator_tasks add column merchant_ref text;
  update operator_tasks set merchant_ref = (select merchant_ref from orders where id = order_id);
  create index operator_tasks_merchant on operator_tasks (merchant_ref, why, order_id);
  create index operator_tasks_merchant_since on operator_tasks (merchant_ref, why, since);
  -- A former version does not know the column.
  create trigger operator_tasks_merchant after insert on operator_tasks when new.merchant_ref is null begin
    update operator_tasks set merchant_ref = (select merchant_ref from orders where id = new.order_id)
      where order_id = new.order_id;
  end;
  `,
  },
  {
    fingerprint: 'f63f73ae35bcbfdc',
    sql: `
  -- What was given up, of all merchants. Few deliveries ever are.
  create index outbox_exhausted on outbox (id) where state = 'exhausted';
  `,
  },
  {
    fingerprint: 'f63f73ae35bcbfdc',
    sql: `
  -- The good merchants, in the order of outbox_due: a claim steps from one of them to the next.
  create index endpoints_good on endpoints (kind, merchant) where is_good = 1;
  `,
  },
]
