-- subscriptions that send events to a URL; all events up to the cursor (an event id) are delivered, were
-- skipped, or belong to a lane that is behind
create table webhooks (
  id text not null primary key,
  name text,
  url text not null,
  format text not null,
  filters text not null,
  owner text,
  secret text not null,
  previous_secret text,
  previous_secret_until integer,
  status text not null,
  paused_at integer,
  paused_reason text,
  created_at integer not null,
  cursor integer not null,
  lease_owner text
) strict;
--> statement-breakpoint
-- ranges of the log that are sent again
create table webhook_replays (
  id text not null primary key,
  webhook text not null,
  project text,
  cursor integer not null,
  until integer not null
) strict;
--> statement-breakpoint
create index webhook_replays_webhook on webhook_replays (webhook);
--> statement-breakpoint
-- projects of a webhook, or of a replay, that are behind or were sent a digest
create table webhook_lanes (
  webhook text not null,
  replay text not null,
  project text not null,
  cursor integer not null,
  attempts integer not null,
  due_at integer,
  failing_since integer,
  last_sent_at integer,
  primary key (webhook, replay, project)
) strict, without rowid;
--> statement-breakpoint
create index webhook_lanes_failing on webhook_lanes (failing_since) where failing_since is not null;
--> statement-breakpoint
-- attempts to send a message, for 30 days
create table webhook_deliveries (
  id integer primary key autoincrement,
  webhook text not null,
  project text,
  first_event integer,
  last_event integer,
  at integer not null,
  duration_ms integer not null,
  status integer,
  outcome text not null,
  error text,
  request text not null,
  response text,
  attempt integer not null,
  is_test integer not null,
  is_replay integer not null
) strict;
--> statement-breakpoint
create index webhook_deliveries_outcome on webhook_deliveries (webhook, outcome, id);
--> statement-breakpoint
-- processes that deliver; the webhooks that a process has leased are its own until this time
create table webhook_nodes (
  id text not null primary key,
  until integer not null
) strict;
