-- Gives the empty log of a new database partitions; see db/feed/partitions.ts. It runs after all migrations,
-- and takes indexes and triggers as they left them.
do $$
declare
  definitions text[] := array(
    select pg_get_indexdef(indexrelid) from pg_index
      where indrelid = 'events'::regclass and not indisunique
    union all
    select pg_get_triggerdef(oid) from pg_trigger where tgrelid = 'events'::regclass and not tgisinternal);
  definition text;
begin
  alter table events rename to whole_events;
  create table events (like whole_events including defaults) partition by range (ts);
  drop table whole_events;
  alter table events add primary key (ts);
  create index events_id on events (id);
  -- one for all times before 2020, whose years add none
  create table events_past partition of events for values from (minvalue) to (1577836800000000);
  foreach definition in array definitions loop
    execute definition;
  end loop;
end $$;

-- A unique index of a partitioned table has to include its key, so what is unique over all years is here.
create table event_keys (
  id bigint primary key,
  ts bigint not null,
  dedupe_key text unique,
  delivery_id text
);
create unique index event_keys_delivery_id on event_keys (delivery_id) where delivery_id is not null;

create function keep_event_keys() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into event_keys select id, ts, dedupe_key, delivery_id from changed;
  elsif tg_op = 'DELETE' then
    delete from event_keys using changed where event_keys.id = changed.id;
  else
    update event_keys set dedupe_key = changed.dedupe_key, delivery_id = changed.delivery_id
      from changed where event_keys.id = changed.id;
  end if;
  return null;
end $$;
create trigger event_keys_added after insert on events
  referencing new table as changed for each statement execute function keep_event_keys();
create trigger event_keys_changed after update on events
  referencing new table as changed for each statement execute function keep_event_keys();
create trigger event_keys_removed after delete on events
  referencing old table as changed for each statement execute function keep_event_keys();

-- Unlike `create table … partition of`, `attach` lets others read meanwhile.
create function add_partition(name text, first bigint, until bigint) returns void language plpgsql as $$
begin
  if to_regclass(name) is not null then return; end if;
  execute format('create table %I (like events including all)', name);
  execute format('alter table events attach partition %I for values from (%s) to (%s)', name, first, until);
end $$;
