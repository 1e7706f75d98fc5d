// The schema as numbered steps, from an empty database to the current one. A released step never changes.
// In an order's tables, the primary key begins with `order_ref`, so an order's rows lie together and can be sharded by it.

export const MIGRATIONS: readonly string[] = [
  `
  -- What other rows of an order's are guarded by. revision: the steps it has made. version: counts whatever changed which
  -- of its effects stand in which lane; who writes that has seen it. number: the order they were placed in.
  create table plazo.orders (
    order_ref uuid primary key,
    number bigint generated always as identity,
    merchant_ref text not null,
    revision integer not null,
    version integer not null default 0,
    has_journal boolean not null default true
  ) with (fillfactor = 70);
  create unique index orders_number on plazo.orders (number);
  create index orders_journals on plazo.orders (number) where has_journal;

  create table plazo.snapshots (
    order_ref uuid primary key,
    snapshot bytea not null
  ) with (fillfactor = 70);
  alter table plazo.snapshots alter column snapshot set storage external;

  -- What never changes after an order is placed.
  create table plazo.placements (
    order_ref uuid primary key,
    placed bytea not null,
    payload bytea
  );
  alter table plazo.placements alter column payload set storage external;

  -- A key that was destroyed is a dead row, which the next vacuum overwrites where the row that replaces it is on its page.
  create table plazo.data_keys (
    order_ref uuid primary key,
    key_id text not null,
    tag bigint not null,
    sealed bytea not null
  ) with (fillfactor = 95, autovacuum_vacuum_threshold = 0, autovacuum_vacuum_scale_factor = 0);

  -- Who holds an order_ref_1; the text of a reference as JSON writes it, so that any will do.
  create table plazo.held_references (
    merchant_ref text not null,
    reference text not null,
    order_ref uuid not null,
    primary key (merchant_ref, reference)
  );

  create table plazo.journal (
    order_ref uuid not null,
    seq integer not null,
    at bigint not null,
    event text not null,
    detail text,
    from_state text not null,
    to_state text not null,
    input bytea,
    primary key (order_ref, seq)
  );

  -- state: queued (behind another in its lane), pending, claimed, then how it ended, or stuck. work: sealed, or the JSON of
  -- what names nobody; null where the shopper was forgotten. resend_of: an ended delivery that this row sends once more.
  create table plazo.outbox (
    order_ref uuid not null,
    id bigint generated always as identity,
    revision integer not null,
    lane text not null,
    class text not null,
    queue text not null,
    event text,
    work bytea,
    state text not null,
    due_at bigint not null,
    until bigint,
    behind text,
    attempts integer not null default 0,
    first_at bigint,
    token text,
    lease_until bigint,
    withdrawn boolean not null default false,
    message bytea,
    made_at bigint not null,
    cause text,
    resend_of bigint,
    primary key (order_ref, id)
  ) with (
    fillfactor = 80,
    -- What was claimed and sent leaves its traces in the index of what is due: they go after so many rows, however many
    -- rows there are.
    autovacuum_vacuum_scale_factor = 0,
    autovacuum_vacuum_threshold = 20000,
    autovacuum_vacuum_insert_scale_factor = 0,
    autovacuum_vacuum_insert_threshold = 100000
  );
  alter table plazo.outbox alter column work set storage external;
  create index outbox_due on plazo.outbox (class, queue, due_at, id) where state = 'pending';
  create index outbox_claimed on plazo.outbox (class, queue) where state = 'claimed';
  create index outbox_stuck on plazo.outbox (id) where state = 'stuck';
  create unique index outbox_resends on plazo.outbox (order_ref, resend_of) where resend_of is not null;
  create index outbox_of_merchant on plazo.outbox (queue, id) where class <> 'work' and resend_of is null;
  create index outbox_unaccepted on plazo.outbox (queue, id)
    where class <> 'work' and state in ('queued', 'exhausted', 'stopped', 'unsupported', 'stuck');

  create table plazo.attempts (
    order_ref uuid not null,
    delivery_id bigint not null,
    n integer not null,
    cause text not null,
    started_at bigint not null,
    outcome text,
    duration bigint,
    status integer,
    error text,
    response bytea,
    primary key (order_ref, delivery_id, n)
  );
  alter table plazo.attempts alter column response set storage external;

  -- Whoever claims takes a turn, so that no two nodes count at once what a merchant has in flight.
  create table plazo.claim_turn (only_one boolean primary key check (only_one), version bigint not null);
  insert into plazo.claim_turn values (true, 0);

  -- What waits for an operator, so that finding it costs nothing to orders that do not.
  create table plazo.waiting (
    order_ref uuid primary key,
    number bigint not null,
    why text not null,
    since bigint not null
  );
  create index waiting_why on plazo.waiting (why, number);

  -- Whatever people wrote stands as JSON, which can hold every character; username too.
  create table plazo.merchants (
    id bigint generated always as identity primary key,
    ref text not null unique,
    username text not null,
    about json not null,
    password_hash text not null,
    signature_secret text not null
  );
  create index merchants_account on plazo.merchants (username);

  -- Secrets that were replaced and still sign; rows leave with the next rotation after their end.
  create table plazo.retired_secrets (
    id bigint generated always as identity primary key,
    merchant_id bigint not null,
    secret text not null,
    signs_until bigint not null
  );
  create index retired_secrets_merchant on plazo.retired_secrets (merchant_id);

  -- Every master key under which anything may be sealed, with something sealed under it to know it by.
  create table plazo.master_keys (id text primary key, proof text not null, is_served boolean not null default false);

  -- Finds cards by their owner, without telling who he is.
  create table plazo.lookup_key (only_one boolean primary key check (only_one), secret text not null);

  create table plazo.sandbox_messages (
    order_ref uuid not null,
    id bigint generated always as identity,
    key text not null,
    at bigint not null,
    message bytea not null,
    primary key (order_ref, key)
  );

  create table plazo.sandbox_cards (
    owner bytea not null,
    name bytea not null,
    id bigint generated always as identity,
    order_ref uuid not null,
    card bytea not null,
    primary key (owner, name)
  );
  create index sandbox_cards_order on plazo.sandbox_cards (order_ref);

  create table plazo.sandbox_clock (only_one boolean primary key check (only_one), ahead bigint not null);
  `,

  `
  -- An attempt is written once, when it is known what came of it: until then the claimed row tells which of the delivery's
  -- attempts it is, since when, and who asked for it.
  alter table plazo.outbox add column attempt integer, add column started_at bigint, add column started_by text;
  -- One that is in flight has been written, and its server, which may run on beside, completes what it has written.
  update plazo.outbox b set attempt = a.n from plazo.attempts a
    where b.state = 'claimed' and a.order_ref = b.order_ref and a.delivery_id = coalesce(b.resend_of, b.id)
      and a.outcome is null;
  `,

  `
  -- A claim changes no index that grows with what was ever sent: deliveries come into these two once they have ended. By
  -- merchant, to be listed; and by age, in which they are dropped.
  drop index plazo.outbox_of_merchant;
  create index outbox_ended_of_merchant on plazo.outbox (queue, id)
    where class <> 'work' and state in ('delivered', 'exhausted', 'stopped', 'unsupported', 'stuck');
  create index outbox_ended on plazo.outbox (id)
    where class <> 'work' and state in ('delivered', 'exhausted', 'stopped', 'unsupported');
  `,

  `
  -- A long reference stands here by its digest.
  update plazo.held_references set reference = 'sha256:' || encode(sha256(convert_to(reference, 'UTF8')), 'hex')
    where octet_length(reference) > 1000;

  -- How many shoppers have been forgotten: whoever remembers orders drops them where it has grown.
  create table plazo.key_changes (only_one boolean primary key check (only_one), count bigint not null);
  insert into plazo.key_changes values (true, 0);
  `,

  `
  -- Deliveries take turns by account, whose merchants count together. share: the smaller share under which a slow merchant's
  -- delivery is in flight.
  alter table plazo.outbox add column account text, add column share integer;
  update plazo.outbox b set account = coalesce((select m.username from plazo.merchants m where m.ref = b.queue), b.queue)
    where b.class <> 'work' and b.state in ('queued', 'pending', 'claimed');
  `,
]
