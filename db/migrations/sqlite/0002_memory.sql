create table settings (
  name text not null primary key,
  value text not null
) strict;
--> statement-breakpoint
create table notes (
  id integer primary key autoincrement,
  project text not null,
  asset text not null,
  title text not null,
  text text not null,
  actor text not null,
  valid_from integer not null,
  valid_until integer
) strict;
--> statement-breakpoint
create index notes_current on notes (asset) where valid_until is null;
--> statement-breakpoint
create table guidance (
  id integer primary key autoincrement,
  model text not null,
  source text not null,
  file text not null,
  place integer not null,
  path text not null,
  text text not null,
  refreshed_at integer not null,
  unique (model, source, place)
) strict;
--> statement-breakpoint
create table rollups (
  project text not null,
  day text not null,
  lane text not null,
  model text not null,
  runs integer not null,
  failures integer not null,
  merges integer not null,
  tokens_in integer not null default 0,
  tokens_out integer not null default 0,
  cache_read integer not null default 0,
  cache_write integer not null default 0,
  cost_equiv real not null default 0,
  primary key (project, day, lane, model)
) strict;
--> statement-breakpoint
-- what recall finds things by: only terms, under the id of the row they were made of
create virtual table decision_terms using fts5 (head, body, content='', contentless_delete=1, tokenize='ascii');
--> statement-breakpoint
create virtual table preference_terms using fts5 (head, body, content='', contentless_delete=1, tokenize='ascii');
--> statement-breakpoint
create virtual table note_terms using fts5 (head, body, content='', contentless_delete=1, tokenize='ascii');
--> statement-breakpoint
create virtual table guidance_terms using fts5 (head, body, content='', contentless_delete=1, tokenize='ascii');
--> statement-breakpoint
create virtual table event_terms using fts5 (head, body, content='', contentless_delete=1, tokenize='ascii');
--> statement-breakpoint
-- every word there is, by its runs of three characters: where a mistyped one finds what was meant
create table words (
  form text not null primary key
) strict, without rowid;
--> statement-breakpoint
create table word_grams (
  gram text not null,
  form text not null,
  primary key (gram, form)
) strict, without rowid;
