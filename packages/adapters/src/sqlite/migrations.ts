// The schema, as numbered migrations from an empty database to the current version. A released migration never changes.

export const MIGRATIONS: readonly string[] = [
  `
  -- Rows are appended; the random uuid stands in an index only, so that inserts dirty few pages.
  create table orders (
    id integer primary key,
    order_ref text not null unique,
    merchant_ref text not null,
    held_reference text,
    revision integer not null,
    snapshot text not null
  ) strict;
  create unique index orders_held on orders (merchant_ref, held_reference) where held_reference is not null;

  -- What never changes after an order is placed stands apart: a step then writes small rows, many to a page.
  create table placements (
    order_id integer primary key,
    placed text not null,
    payload text not null
  ) strict;

  create table journal (
    order_id integer not null,
    seq integer not null,
    at integer not null,
    event text not null,
    detail text,
    from_state text not null,
    to_state text not null,
    input text,
    primary key (order_id, seq)
  ) strict, without rowid;

  -- state: queued (behind another in its lane), pending, claimed, then how it ended, or stuck.
  create table outbox (
    id integer primary key,
    order_id integer not null,
    revision integer not null,
    lane text not null,
    class text not null,
    queue text not null,
    work text not null,
    state text not null,
    due_at integer not null,
    until integer,
    behind text,
    attempts integer not null default 0,
    first_at integer,
    token text,
    lease_until integer,
    withdrawn integer not null default 0,
    message text
  ) strict;
  create index outbox_due on outbox (class, queue, due_at) where state = 'pending';
  create index outbox_claimed on outbox (class, queue) where state = 'claimed';
  create index outbox_lane on outbox (order_id, lane) where state in ('queued', 'pending', 'claimed');
  create index outbox_behind on outbox (order_id, behind) where behind is not null;
  create index outbox_stuck on outbox (id) where state = 'stuck';

  create table merchants (
    id integer primary key,
    ref text not null unique,
    name text not null,
    username text not null,
    password_hash text not null,
    signature_secret text not null,
    country text,
    currency text not null,
    products text not null,
    optional_fields text not null,
    send_action_events integer not null
  ) strict;
  create index merchants_account on merchants (username);

  create table sandbox_messages (
    id integer primary key,
    key text not null unique,
    at integer not null,
    recipient text not null,
    text text not null,
    code text not null
  ) strict;

  create table sandbox_cards (
    owner text not null,
    token text not null,
    card text not null,
    primary key (owner, token)
  ) strict;

  create table sandbox_clock (
    only integer primary key check (only = 1),
    offset integer not null
  ) strict;
  `,

  `
  -- Secrets that were replaced and still sign; rows leave with the next rotation after their end.
  create table retired_secrets (
    id integer primary key,
    merchant_id integer not null,
    secret text not null,
    signs_until integer not null
  ) strict;
  create index retired_secrets_merchant on retired_secrets (merchant_id);
  `,

  `
  -- cause: who asked for the next attempt, if anybody did. A delivery that has ended is sent again by a row of its own,
  -- which names it and is gone once that is done.
  alter table outbox add column made_at integer not null default 0;
  alter table outbox add column cause text;
  alter table outbox add column resend_of integer;
  update outbox set made_at = coalesce(first_at, due_at);
  create unique index outbox_resends on outbox (resend_of) where resend_of is not null;
  create index outbox_of_order on outbox (order_id, id) where class <> 'work' and resend_of is null;
  create index outbox_of_merchant on outbox (queue, id) where class <> 'work' and resend_of is null;
  create index outbox_undelivered on outbox (queue, id)
    where class <> 'work' and resend_of is null and state <> 'delivered';

  create table attempts (
    delivery_id integer not null,
    n integer not null,
    cause text not null,
    started_at integer not null,
    outcome text,
    duration integer,
    status integer,
    error text,
    response text,
    primary key (delivery_id, n)
  ) strict;
  `,

  `
  -- Personal data is sealed under a data key of its order's, and a column that holds what is sealed holds a blob. What
  -- stands there as text is from before, and is sealed when the database is opened: its orders wait in unsealed.
  create table data_keys (
    order_id integer primary key,
    key_id text not null,
    tag integer not null,
    sealed blob not null
  ) strict;

  -- Every master key under which anything may be sealed, with something sealed under it to know it by.
  create table master_keys (
    id text primary key,
    proof text not null
  ) strict, without rowid;

  -- Finds cards by their owner, without telling who he is.
  create table lookup_key (
    only integer primary key check (only = 1),
    secret text not null
  ) strict;

  create table unsealed (order_id integer primary key) strict;
  insert into unsealed select id from orders;

  create table new_orders (
    id integer primary key,
    order_ref text not null unique,
    merchant_ref text not null,
    held_reference text,
    revision integer not null,
    snapshot any not null
  ) strict;
  insert into new_orders select id, order_ref, merchant_ref, held_reference, revision, snapshot from orders;
  drop table orders;
  alter table new_orders rename to orders;
  create unique index orders_held on orders (merchant_ref, held_reference) where held_reference is not null;

  create table new_placements (
    order_id integer primary key,
    placed any not null,
    payload any
  ) strict;
  insert into new_placements select order_id, placed, payload from placements;
  drop table placements;
  alter table new_placements rename to placements;

  create table new_journal (
    order_id integer not null,
    seq integer not null,
    at integer not null,
    event text not null,
    detail text,
    from_state text not null,
    to_state text not null,
    input any,
    primary key (order_id, seq)
  ) strict, without rowid;
  insert into new_journal select order_id, seq, at, event, detail, from_state, to_state, input from journal;
  drop table journal;
  alter table new_journal rename to journal;

  -- event: what a delivery tells, for lists that need no key; work is null where the shopper was forgotten.
  create table new_outbox (
    id integer primary key,
    order_id integer not null,
    revision integer not null,
    lane text not null,
    class text not null,
    queue text not null,
    event text,
    work any,
    state text not null,
    due_at integer not null,
    until integer,
    behind text,
    attempts integer not null default 0,
    first_at integer,
    token text,
    lease_until integer,
    withdrawn integer not null default 0,
    message any,
    made_at integer not null default 0,
    cause text,
    resend_of integer
  ) strict;
  insert into new_outbox
    select id, order_id, revision, lane, class, queue,
      case class when 'ipn' then 'ipn' when 'event' then json_extract(work, '$.event') end, work,
      state, due_at, until, behind, attempts, first_at, token, lease_until, withdrawn, message, made_at, cause, resend_of
    from outbox;
  drop table outbox;
  alter table new_outbox rename to outbox;
  create index outbox_due on outbox (class, queue, due_at) where state = 'pending';
  create index outbox_claimed on outbox (class, queue) where state = 'claimed';
  create index outbox_lane on outbox (order_id, lane) where state in ('queued', 'pending', 'claimed');
  create index outbox_behind on outbox (order_id, behind) where behind is not null;
  create index outbox_stuck on outbox (id) where state = 'stuck';
  create unique index outbox_resends on outbox (resend_of) where resend_of is not null;
  create index outbox_of_order on outbox (order_id, id) where class <> 'work' and resend_of is null;
  create index outbox_of_merchant on outbox (queue, id) where class <> 'work' and resend_of is null;
  create index outbox_undelivered on outbox (queue, id)
    where class <> 'work' and resend_of is null and state <> 'delivered';

  create table new_attempts (
    delivery_id integer not null,
    n integer not null,
    cause text not null,
    started_at integer not null,
    outcome text,
    duration integer,
    status integer,
    error text,
    response any,
    primary key (delivery_id, n)
  ) strict;
  insert into new_attempts
    select delivery_id, n, cause, started_at, outcome, duration, status, error, response from attempts;
  drop table attempts;
  alter table new_attempts rename to attempts;

  create table new_sandbox_messages (
    id integer primary key,
    key text not null unique,
    at integer not null,
    message any not null
  ) strict;
  insert into new_sandbox_messages
    select id, key, at, json_object('to', recipient, 'text', text, 'code', code) from sandbox_messages;
  drop table sandbox_messages;
  alter table new_sandbox_messages rename to sandbox_messages;

  -- Which order a card was kept by was not written down: test cards are kept anew.
  drop table sandbox_cards;
  create table sandbox_cards (
    id integer primary key,
    order_id integer not null,
    owner blob not null,
    name blob not null,
    card blob not null,
    unique (owner, name)
  ) strict;
  create index sandbox_cards_order on sandbox_cards (order_id);
  `,

  `
  -- Whether a server has been started that opens what this key seals: before, nothing is sealed anew under it.
  alter table master_keys add column is_served integer not null default 0;
  `,

  `
  -- What goes well stands in no index of what does not.
  drop index outbox_undelivered;
  create index outbox_unaccepted on outbox (queue, id)
    where class <> 'work' and state in ('queued', 'exhausted', 'stopped', 'unsupported', 'stuck');
  `,

  `
  -- What waits for an operator, so that finding it costs nothing to orders that do not.
  create table waiting (
    order_id integer primary key,
    why text not null,
    since integer not null
  ) strict;
  create index waiting_why on waiting (why, order_id);
  insert into waiting
    select order_id, why, at from (
      select j.order_id, j.at,
        case
          when j.to_state like 'reviewing %' then 'review'
          when j.to_state like '% asking' or j.to_state like '% waiting' then 'asked'
          when j.to_state like '% unanswered' then 'unanswered'
          when j.to_state like '% unsupported' then 'unsupported'
        end as why
      from journal j where j.seq = (select max(l.seq) from journal l where l.order_id = j.order_id))
    where why is not null;
  `,

  `
  -- A key begins with a random uuid: an index by it has a page of its own written for every message.
  create table new_sandbox_messages (
    id integer primary key,
    order_id integer not null,
    key text not null,
    at integer not null,
    message any not null
  ) strict;
  insert into new_sandbox_messages
    select m.id, o.id, m.key, m.at, m.message
    from sandbox_messages m join orders o on o.order_ref = substr(m.key, 1, instr(m.key, ':') - 1);
  drop table sandbox_messages;
  alter table new_sandbox_messages rename to sandbox_messages;
  create index sandbox_messages_order on sandbox_messages (order_id);
  `,

  `
  -- Orders are written by a connection of their own: what is remembered of merchants outlives those writes.
  create table merchant_changes (
    only integer primary key check (only = 1),
    count integer not null
  ) strict;
  insert into merchant_changes values (1, 0);
  create trigger merchants_inserted after insert on merchants begin update merchant_changes set count = count + 1; end;
  create trigger merchants_updated after update on merchants begin update merchant_changes set count = count + 1; end;
  create trigger merchants_deleted after delete on merchants begin update merchant_changes set count = count + 1; end;
  create trigger retired_secrets_inserted after insert on retired_secrets
    begin update merchant_changes set count = count + 1; end;
  create trigger retired_secrets_updated after update on retired_secrets
    begin update merchant_changes set count = count + 1; end;
  create trigger retired_secrets_deleted after delete on retired_secrets
    begin update merchant_changes set count = count + 1; end;
  `,

  `
  -- And of data keys: destroyed, or sealed anew.
  create table key_changes (
    only integer primary key check (only = 1),
    count integer not null
  ) strict;
  insert into key_changes values (1, 0);
  create trigger data_keys_updated after update on data_keys begin update key_changes set count = count + 1; end;
  create trigger data_keys_deleted after delete on data_keys begin update key_changes set count = count + 1; end;
  `,

  `
  -- An attempt is written once, when it is known what came of it: until then the claimed row tells which of the delivery's
  -- attempts it is, since when, and who asked for it.
  alter table outbox add column attempt integer;
  alter table outbox add column started_at integer;
  alter table outbox add column started_by text;
  update outbox set (attempt, started_at, started_by) = (
      select a.n, a.started_at, a.cause from attempts a
      where a.delivery_id = coalesce(outbox.resend_of, outbox.id) and a.outcome is null)
    where state = 'claimed' and exists (
      select 1 from attempts a where a.delivery_id = coalesce(outbox.resend_of, outbox.id) and a.outcome is null);
  delete from attempts where outcome is null;
  `,

  `
  -- Lines are appended, whosever they are, each with the line before it of its order, and the order knows its last: kept
  -- together by order, every step had a page of its own to write.
  create table new_journal (
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
  alter table orders add column last_line integer;
  -- A line's number, of what is there: in the order that it was kept in, which needs no sorting.
  create temp table numbering as select coalesce(max(seq), 0) + 1 as most from journal;
  insert into new_journal
    select order_id * most + seq, order_id, seq, at, event, detail, from_state, to_state, input,
      (select order_id * most + max(p.seq) from journal p where p.order_id = j.order_id and p.seq < j.seq)
    from journal j, temp.numbering order by order_id, seq;
  update orders set last_line = (
    select order_id * most + max(seq) from journal, temp.numbering where order_id = orders.id);
  drop table temp.numbering;
  drop table journal;
  alter table new_journal rename to journal;
  -- Where each order's journal begins; lines never move, so that this too is only appended to.
  create index journal_begins on journal (order_id) where previous is null;
  `,

  `
  -- Deliveries take turns by account, whose merchants count together. share: the smaller share under which a slow merchant's
  -- delivery is in flight.
  alter table outbox add column account text;
  alter table outbox add column share integer;
  update outbox set account = coalesce((select m.username from merchants m where m.ref = outbox.queue), queue)
    where class <> 'work';
  create index outbox_reduced on outbox (class, queue, share) where state = 'claimed' and share is not null;
  `,
]
