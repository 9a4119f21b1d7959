-- The schema. Every later migration is a file beside this one.

-- -------------------- feed --------------------

-- only what statements search by has columns: `wire` has all fields of an event
create table events (
  ts integer primary key,
  id integer not null unique,
  kind text not null,
  actor text not null,
  project text,
  issue integer,
  pr integer,
  lane text,
  run_id text,
  dedupe_key text unique,
  delivery_id text,
  wire text not null,
  payload text
) strict;
-- most events came from no webhook, so the index leaves them out
create unique index events_delivery_id on events (delivery_id) where delivery_id is not null;
create index events_project on events (project);
create index events_kind on events (kind);
create index events_actor on events (actor);
create index events_lane on events (lane);
create index events_of_kind on events (kind, ts, id, wire) where kind <> 'step.usage';
create index events_issue on events (issue, ts, project) where issue is not null;
create index events_pr on events (pr, ts, project) where pr is not null;
create index events_run_id on events (run_id, ts, project) where run_id is not null;
-- the titles of tasks: the events that opened them
create index events_issue_opened on events (project, issue, ts) where kind = 'issue.opened';
create index events_pr_opened on events (project, pr, ts) where kind = 'pr.opened';

create table feed_head (
  one integer primary key,
  id integer not null,
  ts integer not null,
  -- the last event in the rows that are derived behind appends
  derived integer not null default 0,
  -- the version of the budgets: an append knows by it whether those in its cache are current
  budgets integer not null default 0
) strict;
insert into feed_head (one, id, ts) values (1, 0, 0);

-- combinations of project, kind, actor, and lane that events have; '' where an event names none
create table facets (
  id integer primary key,
  project text not null,
  kind text not null,
  actor text not null,
  lane text not null,
  unique (project, kind, actor, lane)
) strict;
create index facets_kind on facets (kind, actor);
create index facets_actor on facets (actor, project);
create index facets_lane on facets (lane, kind);
create index facets_project_lane on facets (project, lane);
create index facets_actor_lane on facets (actor, lane);

-- the posting list of each facet
create table facet_events (
  facet integer not null,
  ts integer not null,
  primary key (facet, ts)
) strict, without rowid;

create table issues (
  project text not null,
  number integer not null,
  ts integer not null,
  open integer not null,
  primary key (project, number)
) strict;

-- the issue that a pull request belongs to, by the events that name both: the newest event of the pull
-- request itself or, without one, the first other event
create table pull_request_issues (
  project text not null,
  pr integer not null,
  issue integer not null,
  rank integer not null,
  primary key (project, pr)
) strict, without rowid;
create index pull_request_issues_issue on pull_request_issues (issue, project, pr);

create table usage (
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

-- usage by actor and task, for each UTC day: the issue or, without one, the pull request; 0 for neither.
-- The table `usage` has the same sums by lane and model
create table task_usage (
  project text not null,
  day text not null,
  actor text not null,
  issue integer not null,
  pr integer not null,
  runs integer not null,
  failures integer not null,
  merges integer not null,
  tokens_in integer not null default 0,
  tokens_out integer not null default 0,
  cache_read integer not null default 0,
  cache_write integer not null default 0,
  cost_equiv real not null default 0,
  primary key (project, day, actor, issue, pr)
) strict, without rowid;

create table projects (
  slug text not null primary key,
  repo text not null,
  stack text,
  summary text,
  check_cmd text,
  lanes text not null,
  linked_at integer not null,
  last_activity integer,
  open_issues integer not null default 0,
  decisions_count integer not null default 0,
  events_count integer not null default 0,
  digested_count integer not null default 0,
  -- the forge's id of the repository, once a webhook has named it: it stays the same after a rename
  repo_id integer,
  -- the regular expression that finds the issue of a branch; null for the default
  branch_pattern text,
  -- where the repository is
  forge text not null default 'github',
  host text not null default 'github.com'
) strict;
create index projects_activity on projects (last_activity desc, slug);
create unique index projects_repo on projects (lower(repo), forge, host);
create unique index projects_repo_id on projects (repo_id, forge, host) where repo_id is not null;

-- last_event_at is the ts of an event, so no two runs share one; rule_key: actor and task of a run without
-- a run_id
create table runs (
  id text not null,
  project text not null,
  issue integer,
  pr integer,
  actor text not null,
  models text not null,
  lane text,
  status text not null,
  started_at integer not null,
  ended_at integer,
  last_event_at integer not null,
  duration_ms integer,
  steps integer not null,
  tokens_in integer not null,
  tokens_out integer not null,
  cache_read integer not null,
  cache_write integer not null,
  cost_equiv real not null,
  summary text not null,
  parent text,
  assets integer not null,
  decisions integer not null,
  rule_key text,
  marks text not null,
  -- the position in lists, to the minute, so that most steps of a run change no index: the newest start or
  -- end in the minute of the newest event or, without one, the first event of that minute
  listed_at integer not null default 0,
  -- the token that reports a run, until its end: what it makes without naming the run belongs to it
  token text,
  branch text,
  primary key (id, project)
) strict;
create index runs_rule on runs (project, rule_key, started_at) where rule_key is not null;
create index runs_recent on runs (listed_at);
create index runs_project on runs (project, listed_at);
create index runs_status on runs (status, listed_at);
create index runs_actor on runs (actor, listed_at);
create index runs_issue on runs (issue, listed_at) where issue is not null;
create index runs_pr on runs (pr, listed_at) where pr is not null;
create index runs_parent on runs (parent, listed_at) where parent is not null;
create index runs_cost on runs (project, (started_at / 86400000000), cost_equiv, listed_at);
create index runs_token on runs (token, project, listed_at) where token is not null;
-- runs that name both
create index runs_both on runs (project, pr, listed_at) where issue is not null and pr is not null;

-- what work should cost at most in a period; project, lane and model are null for any
create table budgets (
  id integer primary key autoincrement,
  project text,
  lane text,
  model text,
  period text not null,
  amount real not null,
  since text not null,
  changed_by text not null,
  changed_at integer not null
) strict;
create unique index budgets_scope
  on budgets (coalesce(project, ''), coalesce(lane, ''), coalesce(model, ''), period);

-- what each budget has spent in a period, by the first day of the period, and the highest threshold that was
-- reported
create table budget_periods (
  budget integer not null,
  start text not null,
  spent real not null,
  notified integer not null,
  primary key (budget, start)
) strict, without rowid;

-- -------------------- memory --------------------

create table decisions (
  id integer primary key autoincrement,
  project text not null,
  text text not null,
  source text not null,
  source_ref text,
  actor text not null,
  valid_from integer not null,
  valid_until integer,
  supersedes integer,
  run_id text
) strict;
create index decisions_current on decisions (project, valid_from) where valid_until is null;
create index decisions_run_id on decisions (run_id) where run_id is not null;
-- pages of decisions, newest first, of one project and of all; the index tells whether a decision has ended
create index decisions_project on decisions (project, valid_from, id, valid_until);
create index decisions_newest on decisions (valid_from, id, valid_until);
-- the decision that replaced another
create index decisions_supersedes on decisions (supersedes) where supersedes is not null;
-- when versions were rejected: each rejection is a decision that names its asset
create index decisions_rejections on decisions (project, valid_from, source_ref) where source = 'review';

create table preferences (
  id integer primary key autoincrement,
  project text,
  key text not null,
  value text not null,
  source text not null,
  source_ref text,
  actor text not null,
  valid_from integer not null,
  valid_until integer,
  supersedes integer
) strict;
create unique index preferences_current on preferences (coalesce(project, ''), key) where valid_until is null;

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
create index notes_current on notes (asset) where valid_until is null;

create table models (
  id text not null primary key,
  provider text not null,
  lanes text not null,
  onboarded_at integer,
  refreshed_at integer,
  guidance_count integer not null default 0,
  skill_count integer not null default 0
) strict;

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

-- the briefs that runs got; text is deleted after 90 days
create table briefs (
  id integer primary key autoincrement,
  project text not null,
  run_id text not null,
  at integer not null,
  hash text not null,
  chars integer not null,
  text text
) strict;
create unique index briefs_run on briefs (run_id, project, hash);
create index briefs_of_run on briefs (run_id, project, id);
create index briefs_text on briefs (at) where text is not null;

create table brief_decisions (
  decision integer not null,
  brief integer not null,
  primary key (decision, brief)
) strict, without rowid;
create index brief_decisions_brief on brief_decisions (brief);

-- what runs searched memory for, and how many hits they got; deleted after 90 days
create table recalls (
  id integer primary key autoincrement,
  project text not null,
  run_id text not null,
  at integer not null,
  query text not null,
  hits integer not null
) strict;
create index recalls_run on recalls (run_id, project, id);
create index recalls_at on recalls (at);

-- the full-text indexes of recall, by the id of the indexed row
create virtual table decision_terms
  using fts5 (head, body, content='', contentless_delete=1, tokenize='ascii');

create virtual table preference_terms
  using fts5 (head, body, content='', contentless_delete=1, tokenize='ascii');

create virtual table note_terms
  using fts5 (head, body, content='', contentless_delete=1, tokenize='ascii');

create virtual table guidance_terms
  using fts5 (head, body, content='', contentless_delete=1, tokenize='ascii');

create virtual table event_terms
  using fts5 (head, body, content='', contentless_delete=1, tokenize='ascii');

-- the analyzer version of the terms of each recall index; null: the program that opens the database records
-- its own. `pending`: documents with smaller ids still have the terms of an older version, and the server
-- rebuilds them in the background
create table recall_indexes (
  kind text not null primary key,
  analyzer integer,
  pending integer,
  changed_at integer not null
) strict;
insert into recall_indexes (kind, changed_at)
  select column1, unixepoch() * 1000000
  from (values ('decision'), ('preference'), ('note'), ('guidance'), ('event')) as kinds;

-- all indexed words, and their trigrams, for suggestions for a mistyped word
create table words (
  form text not null primary key
) strict, without rowid;

create table word_grams (
  gram text not null,
  form text not null,
  primary key (gram, form)
) strict, without rowid;

-- the words of the texts of a project, for its readers only; '' for texts that every caller can read
create table project_words (
  project text not null,
  form text not null,
  primary key (project, form)
) strict, without rowid;

-- the languages of indexed texts besides English: recall stems a query only in these
create table text_languages (
  code text not null primary key
) strict;

-- -------------------- library --------------------

create table assets (
  id text not null primary key,
  project text not null,
  issue integer,
  pr integer,
  title text not null,
  description text,
  kind text not null,
  mime text not null,
  size integer not null,
  sha256 text not null,
  width integer,
  height integer,
  duration_ms integer,
  version integer not null,
  root_id text not null,
  parent_id text unique,
  status text not null,
  waiting integer not null,
  key text,
  has_thumb integer not null,
  bundle_index text,
  created_by text not null,
  created_at integer not null,
  reviewed_by text,
  reviewed_at integer,
  review_note text,
  public_url text,
  expires_at integer,
  tags text not null,
  -- JSON text of the asset without its signed URLs; null when it has to be rendered again
  wire text,
  run_id text,
  -- the voter that uploaded it, whatever `created_by` says
  uploader text,
  -- the variant set of an asset, by its name within the project
  "set" text,
  -- the rejected asset that the file repeats, as JSON; null if there is none
  repeats text,
  unique (root_id, version)
) strict;
create index assets_queue on assets (waiting, created_at, id);
create index assets_project on assets (project, waiting, created_at, id);
create index assets_kind on assets (kind, waiting, created_at, id);
create index assets_status on assets (status, waiting, created_at, id);
create index assets_issue on assets (issue, waiting, created_at, id) where issue is not null;
create index assets_pr on assets (pr, waiting, created_at, id) where pr is not null;
create index assets_sha256 on assets (sha256);
create index assets_expiring on assets (expires_at) where expires_at is not null and key is not null;
create index assets_run_id on assets (run_id) where run_id is not null;
-- the rejected assets of their author, newest first
create index assets_rejected on assets (created_by, reviewed_at) where status = 'rejected';
create index assets_set on assets ("set", waiting, created_at, id) where "set" is not null;
-- the review queue of each project: its assets without a set, oldest first, and its sets
create index assets_waiting on assets (waiting, project, "set", created_at, id) where waiting = 1;
create index assets_repeats on assets (project, "set", created_at, id)
  where waiting = 1 and repeats is not null;
create index assets_not_repeats on assets (project, "set", created_at, id)
  where waiting = 1 and repeats is null;

create table uploads (
  id text not null primary key,
  project text not null,
  key text not null,
  content_type text not null,
  size integer,
  sha256 text,
  expires_at integer not null,
  -- length: the size announced by a resumable upload; token: who reserved it, for the limit of open uploads
  length integer,
  token text,
  -- multipart_id: the multipart upload in the bucket, if the file is sent in parts; is_final: the file is at
  -- its final key, with this size and sha256
  multipart_id text,
  is_final integer not null default 0
) strict;
create index uploads_expiring on uploads (expires_at);

-- the received pieces of resumable uploads; the primary key lets one of two writers at an offset win
create table upload_segments (
  upload_id text not null,
  position integer not null,
  size integer not null,
  name text not null,
  sha256 text not null,
  primary key (upload_id, position)
) strict, without rowid;

-- the files of a bundle as its reviewed zip contains them; the index finds the bundle of a file
create table bundle_files (
  asset text not null,
  path text not null,
  size integer not null,
  sha256 text not null,
  primary key (asset, path)
);
create index bundle_files_sha256 on bundle_files (sha256);

-- how the file of an asset was made: as its upload says, and as the file says
create table provenance (
  asset text not null primary key,
  project text not null,
  stated text not null
);

-- reviewers' marks on versions of assets, and replies to them, which have the number of their thread;
-- rank sorts those that are not settled: 0 to 2 reopened, 3 to 5 others, by weight
create table annotations (
  id text not null primary key,
  project text not null,
  chain text not null,
  asset_id text not null,
  version integer not null,
  sha256 text not null,
  n integer not null,
  parent_id text,
  body text not null,
  weight text not null,
  rank integer not null,
  "by" text not null,
  reader text not null,
  origin text not null,
  created_at integer not null,
  state text not null,
  state_by text,
  state_at integer,
  addressed_in text,
  reopened integer not null default 0,
  honoured_version integer,
  urgent_at integer,
  target text
) strict;
create index annotations_version on annotations (asset_id, n, id);
create index annotations_chain on annotations (chain, n, id);
create index annotations_unsettled on annotations (chain, rank, n)
  where parent_id is null and state in ('open', 'addressed');
create index annotations_replies on annotations (parent_id, id) where parent_id is not null;
create index annotations_urgent on annotations (project, urgent_at) where urgent_at is not null;
-- the confirmed musts: how many versions each took
create index annotations_honoured on annotations (project, state_at)
  where state = 'honoured' and weight = 'must' and parent_id is null;

-- the last verdict of each voter on each version; is_open while the asset is pending
create table verdicts (
  asset text not null,
  voter text not null,
  principal text not null,
  project text not null,
  sha256 text not null,
  reviewer text not null,
  role text,
  decision text not null,
  note text,
  checklist text,
  at integer not null,
  is_open integer not null,
  primary key (asset, voter)
) strict;
create index verdicts_open on verdicts (voter, asset) where is_open;

-- who has to approve the assets of a project and kind
create table review_policies (
  project text not null,
  kind text not null,
  need text not null,
  changed_by text not null,
  changed_at integer not null,
  primary key (project, kind)
) strict;

-- every version of each checklist; the last one counts, and without items it was removed
create table checklists (
  project text not null,
  kind text not null,
  version integer not null,
  items text not null,
  changed_by text not null,
  changed_at integer not null,
  primary key (project, kind, version)
) strict;

-- the projects that refuse files that they have rejected
create table repeat_policies (
  project text not null primary key,
  changed_by text not null,
  changed_at integer not null
);

-- the open review requests; sort_at is due_at, or the greatest integer without one
create table review_requests (
  asset text not null primary key,
  project text not null,
  sha256 text not null,
  asked_by text not null,
  reviewers text not null,
  question text,
  due_at integer,
  sort_at integer not null,
  created_at integer not null,
  remind_at integer,
  reminders integer not null default 0,
  reminded_at integer
);
create index review_requests_due on review_requests (sort_at, asset);
create index review_requests_project on review_requests (project, sort_at, asset);
create index review_requests_remind on review_requests (remind_at) where remind_at is not null;

-- a row for each reviewer of an open request; '' stands for everyone who can review
create table requested_reviewers (
  reviewer text not null,
  project text not null,
  sort_at integer not null,
  asset text not null,
  primary key (reviewer, sort_at, asset)
);
create index requested_reviewers_asset on requested_reviewers (asset);

-- share links, by the hash of their secret; rows of revoked and expired ones stay
create table shares (
  id text not null primary key,
  hash text not null,
  project text not null,
  asset text not null,
  root_id text not null,
  follows text not null,
  rights text not null,
  role text,
  recipient text not null,
  expires_at integer not null,
  passphrase text,
  allow_download integer not null,
  created_by text not null,
  creator text,
  created_at integer not null,
  revoked_at integer,
  revoked_by text,
  reviewer text,
  views integer not null default 0,
  -- whether the link shows the annotations of the team, or only those that came through it
  annotations text not null default 'own'
) strict;
create unique index shares_hash on shares (hash);
create index shares_created on shares (created_at, id);
create index shares_project on shares (project, created_at, id);
create index shares_root on shares (root_id, created_at, id);

-- how people used a link; entries with the same slot are counted in one row
create table share_views (
  share text not null,
  slot text not null,
  at integer not null,
  action text not null,
  count integer not null default 1,
  name text,
  network text not null,
  asset text,
  sha256 text,
  primary key (share, slot)
) strict;
create index share_views_listed on share_views (share, at, slot);
create index share_views_at on share_views (at);

-- passphrases that were tried in the last hour
create table share_attempts (
  id text not null primary key,
  share text not null,
  client text not null,
  at integer not null
) strict;
create index share_attempts_share on share_attempts (share, at);

-- -------------------- overview --------------------

-- up to where each person has read what happened: the `ts` of an event
create table read_markers (
  reader text not null primary key,
  ts integer not null
) strict;

-- what each person marked as done in the inbox, or snoozed: an item is hidden if its cause is not newer than
-- at, until the snooze ends; until is null when it is done
create table inbox_marks (
  reader text not null,
  item text not null,
  at integer not null,
  until integer,
  primary key (reader, item)
) strict;

-- -------------------- integrations --------------------

create table outbox (
  id integer primary key autoincrement,
  marker text not null unique,
  repo text not null,
  number integer not null,
  body text not null,
  attempts integer not null default 0,
  due_at integer not null,
  created_at integer not null,
  -- where the comment goes, and whether `number` is that of a pull request
  forge text not null default 'github',
  host text not null default 'github.com',
  is_pull integer not null default 0
) strict;
create index outbox_due on outbox (due_at);

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

-- ranges of the log that are sent again
create table webhook_replays (
  id text not null primary key,
  webhook text not null,
  project text,
  cursor integer not null,
  until integer not null
) strict;
create index webhook_replays_webhook on webhook_replays (webhook);

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
create index webhook_lanes_failing on webhook_lanes (failing_since) where failing_since is not null;

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
create index webhook_deliveries_outcome on webhook_deliveries (webhook, outcome, id);

-- processes that deliver; the webhooks that a process has leased are its own until this time
create table webhook_nodes (
  id text not null primary key,
  until integer not null
) strict;

-- email digests: covered_until is the end of the last period, due_at that of the next, next_at the
-- time of the next attempt
create table email_digests (
  id text not null primary key,
  address text not null,
  period text not null,
  hour integer not null,
  project text,
  owner text,
  status text not null,
  problem text,
  created_at integer not null,
  confirmed_at integer,
  covered_until integer not null,
  due_at integer not null,
  next_at integer not null,
  attempts integer not null default 0,
  said_quiet integer not null
) strict;
create index email_digests_next on email_digests (next_at) where status = 'active';

-- telemetry that fits no project, by source and reason: a handful of rows, and nothing of what was sent
create table unplaced (
  source text not null,
  reason text not null,
  count integer not null,
  token text not null,
  last_at integer not null,
  primary key (source, reason)
) strict;

-- -------------------- core --------------------

create table tokens (
  name text not null primary key,
  hash text not null unique,
  scopes text not null,
  projects text,
  created_at integer not null,
  expires_at integer,
  revoked_at integer,
  last_used_at integer,
  -- the token that `svc token rotate` replaced, and until when it is still valid
  previous_hash text,
  previous_until integer,
  -- the role that its reviews count for
  review_role text,
  -- the role that the token was created with; null: it was created with scopes
  role text,
  -- when a hook or an MCP session of an agent first used the token; null: none has yet
  agent_at integer
) strict;
create unique index tokens_previous on tokens (previous_hash) where previous_hash is not null;

-- browsers that are signed in, by the hash of their cookie
create table sessions (
  hash text not null primary key,
  actor text not null,
  token text,
  opened_at integer not null,
  expires_at integer not null,
  from_link integer not null default 0,
  -- the hashes of the tokens that created the sign-in link: the session ends with each of them
  created_with text,
  email text
) strict;
create index sessions_expires on sessions (expires_at);

-- one-time links, by the hash of their secret; a row is deleted when its link is used
create table sign_in_links (
  hash text not null primary key,
  actor text not null,
  expires_at integer not null,
  -- the name of the token that it signs in with; null: as an admin
  token text,
  -- the hash of the token that created it, with which it ends
  created_with text,
  -- the address that a new link can be sent to once the session of this one has expired
  email text
) strict;

-- one row for each request that wrote; refusals with the same `slot` (client and minute) are counted in one
create table audit (
  id integer primary key,
  at integer not null,
  who text,
  via text not null,
  what text not null,
  project text,
  target text,
  status integer not null,
  address text,
  request text,
  count integer not null default 1,
  slot text
) strict;
create unique index audit_slot on audit (slot) where slot is not null;

-- stays empty: one process serves a file, and counts the requests of its clients in memory
create table request_windows (
  client text not null primary key,
  used integer not null,
  ends_at integer not null
) without rowid;

create table settings (
  name text not null primary key,
  value text not null
) strict;

-- one row: the id of this deployment, and the location of the database when the id was created, which a copy
-- does not have
create table deployment (
  one integer not null primary key check (one = 1),
  id text not null,
  location text not null
);
