-- Only what statements search by has columns: the text has all fields of an event. Nodes of an older version, which
-- write the other columns, fail from then on: left empty, these columns would have them count nothing of new events
alter table events
  drop column summary, drop column repo, drop column model, drop column subscription,
  drop column tokens_in, drop column tokens_out, drop column cache_read, drop column cache_write,
  drop column cost_equiv, drop column cost_source, drop column duration_ms, drop column url;
--> statement-breakpoint
-- most events came from no webhook
alter table events drop constraint events_delivery_id_key;
--> statement-breakpoint
create unique index events_delivery_id on events (delivery_id) where delivery_id is not null;
