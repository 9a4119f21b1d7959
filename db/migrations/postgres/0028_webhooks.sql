-- subscriptions that send events to a URL; all events up to the cursor (an event id) are delivered, were
-- skipped, or belong to a lane that is behind
create table webhooks (
  id text not null primary key,
  name text,
  url text not null,
  format text not null,
  filters jsonb not null,
  owner text,
  secret text not null,
  previous_secret text,
  previous_secret_until bigint,
  status text not null,
  paused_at bigint,
  paused_reason text,
  created_at bigint not null,
  cursor bigint not null,
  lease_owner text
);
--> statement-breakpoint
-- ranges of the log that are sent again
create table webhook_replays (
  id text not null primary key,
  webhook text not null,
  project text,
  cursor bigint not null,
  until bigint not null
);
--> statement-breakpoint
create index webhook_replays_webhook on webhook_replays (webhook);
--> statement-breakpoint
-- projects of a webhook, or of a replay, that are behind or were sent a digest
create table webhook_lanes (
  webhook text not null,
  replay text not null,
  project text not null,
  cursor bigint not null,
  attempts bigint not null,
  due_at bigint,
  failing_since bigint,
  last_sent_at bigint,
  primary key (webhook, replay, project)
);
--> statement-breakpoint
create index webhook_lanes_failing on webhook_lanes (failing_since) where failing_since is not null;
--> statement-breakpoint
-- attempts to send a message, for 30 days
create table webhook_deliveries (
  id bigint generated always as identity primary key,
  webhook text not null,
  project text,
  first_event bigint,
  last_event bigint,
  at bigint not null,
  duration_ms bigint not null,
  status bigint,
  outcome text not null,
  error text,
  request text not null,
  response text,
  attempt bigint not null,
  is_test boolean not null,
  is_replay boolean not null
);
--> statement-breakpoint
create index webhook_deliveries_outcome on webhook_deliveries (webhook, outcome, id);
--> statement-breakpoint
-- processes that deliver; the webhooks that a process has leased are its own until this time
create table webhook_nodes (
  id text not null primary key,
  until bigint not null
);
