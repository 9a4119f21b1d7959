create table settings (
  name text primary key,
  value text not null
);
--> statement-breakpoint
create table notes (
  id bigint generated always as identity primary key,
  project text not null,
  asset text not null,
  title text not null,
  text text not null,
  actor text not null,
  valid_from bigint not null,
  valid_until bigint
);
--> statement-breakpoint
create index notes_current on notes (asset) where valid_until is null;
--> statement-breakpoint
create table guidance (
  id bigint generated always as identity primary key,
  model text not null,
  source text collate "C" not null,
  file text not null,
  place bigint not null,
  path jsonb not null,
  text text not null,
  refreshed_at bigint not null,
  unique (model, source, place)
);
--> statement-breakpoint
create table rollups (
  project text not null,
  day text not null,
  lane text collate "C" not null,
  model text collate "C" not null,
  runs bigint not null,
  failures bigint not null,
  merges bigint not null,
  tokens_in bigint not null default 0,
  tokens_out bigint not null default 0,
  cache_read bigint not null default 0,
  cache_write bigint not null default 0,
  cost_equiv double precision not null default 0,
  primary key (project, day, lane, model)
);
--> statement-breakpoint
-- what recall finds things by: only terms, under the id of the row they were made of; a list of entries that wait to be
-- put in would have to be read by every search
create table decision_terms (
  id bigint primary key,
  terms tsvector not null
);
--> statement-breakpoint
create index decision_terms_gin on decision_terms using gin (terms) with (fastupdate = off);
--> statement-breakpoint
create table preference_terms (
  id bigint primary key,
  terms tsvector not null
);
--> statement-breakpoint
create index preference_terms_gin on preference_terms using gin (terms) with (fastupdate = off);
--> statement-breakpoint
create table note_terms (
  id bigint primary key,
  terms tsvector not null
);
--> statement-breakpoint
create index note_terms_gin on note_terms using gin (terms) with (fastupdate = off);
--> statement-breakpoint
create table guidance_terms (
  id bigint primary key,
  terms tsvector not null
);
--> statement-breakpoint
create index guidance_terms_gin on guidance_terms using gin (terms) with (fastupdate = off);
--> statement-breakpoint
create table event_terms (
  id bigint primary key,
  terms tsvector not null
);
--> statement-breakpoint
create index event_terms_gin on event_terms using gin (terms) with (fastupdate = off);
--> statement-breakpoint
-- every word there is, by its runs of three characters: where a mistyped one finds what was meant
create table words (
  form text collate "C" primary key
);
--> statement-breakpoint
create table word_grams (
  gram text collate "C" not null,
  form text collate "C" not null,
  primary key (gram, form)
);