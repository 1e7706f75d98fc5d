// The tables, as numbered steps from an empty database to the current one. A step that has been on
// `main` never changes, and only adds and copies, because servers of the former version go on next
// to it (CONTRIBUTING.md). The key of every table that belongs to an order begins with `order_id`,
// because a random uuid as key would change a random page of each index.
import type { Migration } from '../../sql/schema-fingerprint.ts'

export const MIGRATIONS: readonly Migration[] = [
  {
    fingerprint: '90206e842ac2a4ea',
    sql: `
  -- This row guards the other rows of its order. revision: the number of its steps. version: counts the changes of which effects
  -- are in which lane; a writer has seen it. id: in the order in which orders were placed. The columns from checkout on are what
  -- lists find an order by (core's OrderFacts). No index has a column that every step changes, because then every step would write
  -- all indexes.
  create table plazo.orders (
    id bigint generated always as identity primary key,
    order_ref uuid not null unique,
    merchant_ref text not null,
    revision integer not null,
    version integer not null default 0,
    checkout text not null,
    lasting text,
    risk text,
    cancellation text,
    placed_at bigint not null,
    changed_at bigint not null,
    search_1 text collate "C",
    search_2 text collate "C"
  ) with (fillfactor = 70);
  create index orders_placed on plazo.orders (placed_at, id);
  create index orders_merchant on plazo.orders (merchant_ref, id);
  create index orders_lasting on plazo.orders (lasting, id) where lasting is not null;
  create index orders_risk on plazo.orders (risk, id) where risk is not null;
  create index orders_cancellation on plazo.orders (cancellation, id) where cancellation is not null;
  create index orders_search_1 on plazo.orders (search_1) where search_1 is not null;
  create index orders_search_2 on plazo.orders (search_2) where search_2 is not null;

  create table plazo.snapshots (
    order_id bigint primary key,
    snapshot bytea not null
  ) with (fillfactor = 70);
  alter table plazo.snapshots alter column snapshot set storage external;

  -- The part of an order that never changes.
  create table plazo.placements (
    order_id bigint primary key,
    placed bytea not null,
    payload bytea
  );
  alter table plazo.placements alter column payload set storage external;

  -- A destroyed key is a dead row. The next vacuum overwrites it if the row that replaces it is on the same page.
  create table plazo.data_keys (
    order_id bigint primary key,
    key_id text not null,
    tag bigint not null,
    ciphertext bytea not null
  ) with (fillfactor = 95, autovacuum_vacuum_threshold = 0, autovacuum_vacuum_scale_factor = 0);

  -- Which order holds an order_ref_1. A reference is stored as JSON text, which can hold every character; one of over 1,000
  -- bytes as its digest.
  create table plazo.held_references (
    merchant_ref text not null,
    reference text not null,
    order_id bigint not null,
    primary key (merchant_ref, reference)
  );

  create table plazo.journal (
    order_id bigint not null,
    seq integer not null,
    at bigint not null,
    event text not null,
    detail text,
    from_state text not null,
    to_state text not null,
    input bytea,
    primary key (order_id, seq)
  );

  -- state: queued (waits for another in its lane), pending, claimed, then its final status, or stuck. work: encrypted, or plain
  -- JSON if it holds no personal data; null once the shopper's data was erased. resend_of: the finished delivery that this row
  -- sends once more. Such a row is in no lane, so it neither waits for the order's lanes nor holds them up. queue: event, ipn, or
  -- work for internal jobs, which have no merchant. attempt, started_at, started_by: of the attempt in flight, which is written
  -- once its result is known.
  -- account: merchants of one account count together.
  create table plazo.outbox (
    order_id bigint not null,
    id bigint generated always as identity,
    revision integer not null,
    lane text,
    queue text not null,
    merchant text not null,
    event text,
    work bytea,
    state text not null,
    due_at bigint not null,
    expires_at bigint,
    excludes text,
    attempts integer not null default 0,
    first_at bigint,
    token text,
    lease_until bigint,
    revoked boolean not null default false,
    message bytea,
    made_at bigint not null,
    cause text,
    resend_of bigint,
    attempt integer,
    started_at bigint,
    started_by text,
    account text,
    primary key (order_id, id)
  ) with (
    fillfactor = 80,
    -- Claimed and sent rows leave dead entries in the index of due rows. They are removed after so many rows, whatever the size
    -- of the table.
    autovacuum_vacuum_scale_factor = 0,
    autovacuum_vacuum_threshold = 20000,
    autovacuum_vacuum_insert_scale_factor = 0,
    autovacuum_vacuum_insert_threshold = 100000
  );
  alter table plazo.outbox alter column work set storage external;
  create index outbox_due on plazo.outbox (queue, merchant, due_at, id) where state = 'pending';
  create index outbox_claimed on plazo.outbox (queue, merchant) where state = 'claimed';
  create index outbox_stuck on plazo.outbox (id) where state = 'stuck';
  -- Few jobs exclude a lane, and every claim asks for them.
  create index outbox_excluding on plazo.outbox (order_id, excludes) where excludes is not null;
  create unique index outbox_resends on plazo.outbox (order_id, resend_of) where resend_of is not null;
  -- A claim changes no index that grows with everything ever sent: deliveries enter these two once they are finished. The first
  -- lists them by merchant, the second finds the oldest for retention.
  create index outbox_ended_of_merchant on plazo.outbox (merchant, id)
    where queue <> 'work' and state in ('delivered', 'exhausted', 'stopped', 'unsupported', 'stuck');
  create index outbox_ended on plazo.outbox (id)
    where queue <> 'work' and state in ('delivered', 'exhausted', 'stopped', 'unsupported');
  create index outbox_unaccepted on plazo.outbox (merchant, id)
    where queue <> 'work' and state in ('queued', 'exhausted', 'stopped', 'unsupported', 'stuck');
  -- What was given up, of all merchants. Few deliveries ever are.
  create index outbox_exhausted on plazo.outbox (id) where state = 'exhausted';
  -- A delivery that succeeds at once is never in this index.
  create index outbox_failing on plazo.outbox (order_id) where queue <> 'work' and resend_of is null and (
    state = 'exhausted' or state = 'pending' and attempts > 0 or state = 'claimed' and attempts > 1
    or state = 'stopped' and attempts > 0 and queue = 'ipn');

  -- report: what was sent and answered, encrypted. Null once the shopper's data was erased.
  create table plazo.attempts (
    order_id bigint not null,
    delivery_id bigint not null,
    n integer not null,
    cause text not null,
    started_at bigint not null,
    outcome text not null,
    duration bigint,
    status integer,
    error text,
    report bytea,
    primary key (order_id, delivery_id, n)
  );
  alter table plazo.attempts alter column report set storage external;

  -- A claim takes a turn, so that no two nodes count a merchant's deliveries in flight at the same time.
  create table plazo.claim_turn (only_one boolean primary key check (only_one), version bigint not null);
  insert into plazo.claim_turn values (true, 0);

  -- Of each endpoint: kind is event or ipn. is_good: whether the last attempt that ended was good, as core's isGoodAttempt says.
  -- Null: the endpoint was never called. Rows stay for ever.
  create table plazo.endpoints (
    merchant text collate "C" not null,
    kind text collate "C" not null,
    is_good boolean,
    last_good_at bigint,
    failing_since bigint,
    failures integer not null default 0,
    primary key (merchant, kind)
  ) with (fillfactor = 70);
  create index endpoints_failing on plazo.endpoints (failing_since) where failing_since is not null;
  -- The good merchants, in the order of outbox_due: a claim steps from one of them to the next.
  create index endpoints_good on plazo.endpoints (kind, merchant collate "default") where is_good;

  -- Orders that wait for an operator, so that finding and counting them costs nothing for the others. What waits of one merchant is
  -- one range of an index.
  create table plazo.operator_tasks (
    order_id bigint primary key,
    merchant_ref text not null,
    why text not null,
    since bigint not null
  );
  create index operator_tasks_why on plazo.operator_tasks (why, order_id);
  create index operator_tasks_since on plazo.operator_tasks (why, since);
  create index operator_tasks_merchant on plazo.operator_tasks (merchant_ref, why, order_id);
  create index operator_tasks_merchant_since on plazo.operator_tasks (merchant_ref, why, since);

  -- Texts that people wrote are JSON, which can hold every character; username too. secrets: the current signature secret and
  -- replaced ones, as encrypted JSON.
  create table plazo.merchants (
    id bigint generated always as identity primary key,
    ref text not null unique,
    username text not null,
    about text not null,
    secrets text not null
  );
  create index merchants_account on plazo.merchants (username);

  -- Every master key in use, with an encrypted text that tells it from another of the same name.
  create table plazo.master_keys (id text primary key, proof text not null, is_in_use boolean not null default false);

  -- Nodes remember orders until this number changes: it counts the shoppers whose data was erased.
  create table plazo.key_changes (only_one boolean primary key check (only_one), count bigint not null);
  insert into plazo.key_changes values (true, 0);

  -- Finds cards by their owner without storing who that is.
  create table plazo.lookup_key (only_one boolean primary key check (only_one), secret text not null);

  -- key: unique within its kind, if it is not null. content: JSON, encrypted under the order's data key or, without an order,
  -- under a key of the database.
  create table plazo.records (
    id bigint generated by default as identity primary key,
    kind text not null,
    key text collate "C",
    order_id bigint,
    merchant_ref text,
    at bigint not null,
    content bytea not null
  );
  create unique index records_key on plazo.records (kind, key) where key is not null;
  create index records_order on plazo.records (order_id) where order_id is not null;
  `,
  },
]
