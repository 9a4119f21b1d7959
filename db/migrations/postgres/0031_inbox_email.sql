-- what each person marked as done in the inbox, or snoozed: an item is hidden if its cause is not newer than
-- at, until the snooze ends; until is null when it is done
create table inbox_marks (
  reader text not null,
  item text not null,
  at bigint not null,
  until bigint,
  primary key (reader, item)
);
--> statement-breakpoint
-- the rejected assets of their author, newest first
create index assets_rejected on assets (created_by, reviewed_at) where status = 'rejected';
--> statement-breakpoint
-- email digests: covered_until is the end of the last period, due_at that of the next, next_at the next attempt
create table email_digests (
  id text not null primary key,
  address text not null,
  period text not null,
  hour bigint not null,
  project text,
  owner text,
  status text not null,
  problem text,
  created_at bigint not null,
  confirmed_at bigint,
  covered_until bigint not null,
  due_at bigint not null,
  next_at bigint not null,
  attempts bigint not null default 0,
  said_quiet boolean not null
);
--> statement-breakpoint
create index email_digests_next on email_digests (next_at) where status = 'active';
