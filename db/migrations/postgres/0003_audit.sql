alter table tokens add column last_used_at bigint;
--> statement-breakpoint
-- what `svc token rotate` replaced, and until when it still holds
alter table tokens add column previous_hash text;
--> statement-breakpoint
alter table tokens add column previous_until bigint;
--> statement-breakpoint
create unique index tokens_previous on tokens (previous_hash) where previous_hash is not null;
--> statement-breakpoint
-- one row for each request that wrote; `slot` names what refusals of one minute and client are counted in
create table audit (
  id bigint generated always as identity primary key,
  at bigint not null,
  who text,
  via text not null,
  what text not null,
  project text,
  target text,
  status bigint not null,
  address text,
  request text,
  count bigint not null default 1,
  slot text
);
--> statement-breakpoint
create unique index audit_slot on audit (slot) where slot is not null;
