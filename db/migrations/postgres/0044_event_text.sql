-- Only what statements search by has columns: the text has all fields of an event. The other columns stay for nodes of an
-- older version that run on meanwhile. This version leaves them empty, which takes no space
alter table events
  alter column summary set default '',
  alter column tokens_in drop default, alter column tokens_in drop not null,
  alter column tokens_out drop default, alter column tokens_out drop not null,
  alter column cache_read drop default, alter column cache_read drop not null,
  alter column cache_write drop default, alter column cache_write drop not null,
  alter column cost_equiv drop default, alter column cost_equiv drop not null;
--> statement-breakpoint
-- most events came from no webhook
alter table events drop constraint events_delivery_id_key;
--> statement-breakpoint
create unique index events_delivery_id on events (delivery_id) where delivery_id is not null;
