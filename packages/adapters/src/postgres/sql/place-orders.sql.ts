// The statement that stores new orders, many at once. Each is written completely or not at all.
import { statement } from '../connection/connection.ts'
import { bytes } from './values.ts'
import { FACT_DEFINITIONS, FACTS, insertEffectsSql, insertLinesSql } from './write-orders.sql.ts'

export const PLACE = statement('orders-place')`
with
input_rows as materialized (
  select * from json_to_recordset($1) as j(
    n integer, order_ref uuid, merchant_ref text, revision integer, snapshot text, requested_reference text, placed text,
    payload text, key_id text, tag bigint, ciphertext text, operator_task text, task_since bigint,
    ${FACT_DEFINITIONS})),
unreserved_orders as materialized (
  select * from input_rows j where not exists (
    select from plazo.held_references h
    where j.requested_reference is not null and h.merchant_ref = j.merchant_ref and h.reference = j.requested_reference)),
placed_orders as (
  insert into plazo.orders (order_ref, merchant_ref, revision, ${FACTS.join(', ')})
  select order_ref, merchant_ref, revision, ${FACTS.join(', ')} from unreserved_orders order by n
  on conflict do nothing returning order_ref, id as order_id),
accepted_orders as materialized (select f.*, p.order_id from unreserved_orders f join placed_orders p on p.order_ref = f.order_ref),
inserted_snapshots as (
  insert into plazo.snapshots (order_id, snapshot) select order_id, ${bytes('snapshot')} from accepted_orders),
inserted_placements as (
  insert into plazo.placements (order_id, placed, payload)
  select order_id, ${bytes('placed')}, ${bytes('payload')} from accepted_orders),
inserted_keys as (
  insert into plazo.data_keys (order_id, key_id, tag, ciphertext)
  select order_id, key_id, tag, ${bytes('ciphertext')} from accepted_orders),
opened_tasks as (
  insert into plazo.operator_tasks (order_id, merchant_ref, why, since)
  select order_id, merchant_ref, operator_task, task_since from accepted_orders where operator_task is not null),
journal_lines as (${insertLinesSql('$2')}),
inserted_effects as (${insertEffectsSql('$3', 'false')})
select j.n, j.order_ref, case
    when exists (select from accepted_orders d where d.order_ref = j.order_ref) then 'done'
    when exists (select from unreserved_orders f where f.order_ref = j.order_ref) then 'exists'
    else 'reference_taken' end as outcome
from input_rows j`
