-- The schema. Every later migration is a file beside this one.

-- -------------------- feed --------------------

create table events (
  ts bigint primary key,
  id bigint not null unique,
  kind text not null,
  actor text not null,
  project text,
  issue bigint,
  pr bigint,
  lane text,
  dedupe_key text unique,
  delivery_id text,
  wire text not null,
  payload text,
  run_id text
);
create index events_project on events (project, ts);
create index events_kind on events (kind, ts);
create index events_actor on events (actor, ts);
create index events_lane on events (lane, ts);
-- filters of few events each: a page of an issue is a range of its index, which has the project too
create index events_issue on events (issue, ts, project) where issue is not null;
create index events_pr on events (pr, ts, project) where pr is not null;
create index events_run_id on events (run_id, ts, project) where run_id is not null;
-- most events came from no webhook, so the index leaves them out
create unique index events_delivery_id on events (delivery_id) where delivery_id is not null;
-- the titles of tasks: the events that opened them
create index events_issue_opened on events (project, issue, ts) where kind = 'issue.opened';
create index events_pr_opened on events (project, pr, ts) where kind = 'pr.opened';

create table feed_head (
  one bigint primary key,
  id bigint not null,
  ts bigint not null,
  -- the last event in the rows that are derived behind appends
  derived bigint not null default 0,
  -- the version of the budgets: an append knows by it whether those in its cache are current
  budgets bigint not null default 0
);
insert into feed_head (one, id, ts) values (1, 0, 0);

create function notify_feed() returns trigger language plpgsql
  as $$ begin perform pg_notify('svc_feed', ''); return null; end $$;
create trigger feed_grew after update of ts on feed_head for each row execute function notify_feed();

-- combinations of project, kind, actor, and lane that events have; '' where an event names none
create table facets (
  id bigint generated always as identity primary key,
  project text not null,
  kind text not null,
  actor text not null,
  lane text not null,
  unique (project, kind, actor, lane)
);
create index facets_kind on facets (kind, actor);
create index facets_actor on facets (actor, project);
create index facets_lane on facets (lane, kind);
create index facets_project_lane on facets (project, lane);
create index facets_actor_lane on facets (actor, lane);

-- the posting list of each facet
create table facet_events (
  facet bigint not null,
  ts bigint not null,
  primary key (facet, ts)
);

create table issues (
  project text not null,
  number bigint not null,
  ts bigint not null,
  open boolean not null,
  primary key (project, number)
);

-- the issue that a pull request belongs to, by the events that name both: the newest event of the pull
-- request itself or, without one, the first other event
create table pull_request_issues (
  project text not null,
  pr bigint not null,
  issue bigint not null,
  rank bigint not null,
  primary key (project, pr)
);
create index pull_request_issues_issue on pull_request_issues (issue, project, pr);

create table usage (
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

-- usage by actor and task, for each UTC day: the issue or, without one, the pull request; 0 for neither.
-- The table `usage` has the same sums by lane and model
create table task_usage (
  project text not null,
  day text collate "C" not null,
  actor text collate "C" not null,
  issue bigint not null,
  pr bigint not null,
  runs bigint not null,
  failures bigint not null,
  merges bigint not null,
  tokens_in bigint not null default 0,
  tokens_out bigint not null default 0,
  cache_read bigint not null default 0,
  cache_write bigint not null default 0,
  cost_equiv double precision not null default 0,
  primary key (project, day, actor, issue, pr)
);

create table projects (
  slug text collate "C" primary key,
  repo text not null,
  stack text,
  summary text,
  check_cmd text,
  lanes jsonb not null,
  linked_at bigint not null,
  last_activity bigint,
  open_issues bigint not null default 0,
  decisions_count bigint not null default 0,
  events_count bigint not null default 0,
  digested_count bigint not null default 0,
  -- the forge's id of the repository, once a webhook has named it: it stays the same after a rename
  repo_id bigint,
  -- the regular expression that finds the issue of a branch; null for the default
  branch_pattern text,
  -- where the repository is
  forge text not null default 'github',
  host text not null default 'github.com'
);
create index projects_activity on projects (last_activity desc nulls last, slug);
create unique index projects_repo on projects (lower(repo), forge, host);
create unique index projects_repo_id on projects (repo_id, forge, host) where repo_id is not null;

-- last_event_at is the ts of an event, so no two runs share one; rule_key: actor and task of a run without
-- a run_id
create table runs (
  id text not null,
  project text not null,
  issue bigint,
  pr bigint,
  actor text not null,
  models text not null,
  lane text,
  status text not null,
  started_at bigint not null,
  ended_at bigint,
  last_event_at bigint not null,
  duration_ms bigint,
  steps bigint not null,
  tokens_in bigint not null,
  tokens_out bigint not null,
  cache_read bigint not null,
  cache_write bigint not null,
  cost_equiv double precision not null,
  summary text not null,
  parent text,
  assets bigint not null,
  decisions bigint not null,
  rule_key text,
  marks text not null,
  -- the position in lists, to the minute, so that most steps of a run change no index: the newest start or
  -- end in the minute of the newest event or, without one, the first event of that minute
  listed_at bigint not null default 0,
  -- the token that reports a run, until its end: what it makes without naming the run belongs to it
  token text,
  branch text,
  primary key (id, project)
);
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
  id bigint generated always as identity primary key,
  project text,
  lane text,
  model text,
  period text not null,
  amount double precision not null,
  since text collate "C" not null,
  changed_by text not null,
  changed_at bigint not null
);
create unique index budgets_scope
  on budgets (coalesce(project, ''), coalesce(lane, ''), coalesce(model, ''), period);

-- what each budget has spent in a period, by the first day of the period, and the highest threshold that was
-- reported
create table budget_periods (
  budget bigint not null,
  start text collate "C" not null,
  spent double precision not null,
  notified bigint not null,
  primary key (budget, start)
);

-- -------------------- memory --------------------

create table decisions (
  id bigint generated always as identity primary key,
  project text not null,
  text text not null,
  source text not null,
  source_ref text,
  actor text not null,
  valid_from bigint not null,
  valid_until bigint,
  supersedes bigint,
  run_id text
);
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
  id bigint generated always as identity primary key,
  project text,
  key text collate "C" not null,
  value text not null,
  source text not null,
  source_ref text,
  actor text not null,
  valid_from bigint not null,
  valid_until bigint,
  supersedes bigint
);
create unique index preferences_current on preferences (coalesce(project, ''), key) where valid_until is null;

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
create index notes_current on notes (asset) where valid_until is null;

create table models (
  id text collate "C" primary key,
  provider text not null,
  lanes jsonb not null,
  onboarded_at bigint,
  refreshed_at bigint,
  guidance_count bigint not null default 0,
  skill_count bigint not null default 0
);

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

-- the briefs that runs got; text is deleted after 90 days
create table briefs (
  id bigint generated always as identity primary key,
  project text not null,
  run_id text not null,
  at bigint not null,
  hash text not null,
  chars bigint not null,
  text text
);
create unique index briefs_run on briefs (run_id, project, hash);
create index briefs_of_run on briefs (run_id, project, id);
create index briefs_text on briefs (at) where text is not null;

create table brief_decisions (
  decision bigint not null,
  brief bigint not null,
  primary key (decision, brief)
);
create index brief_decisions_brief on brief_decisions (brief);

-- what runs searched memory for, and how many hits they got; deleted after 90 days
create table recalls (
  id bigint generated always as identity primary key,
  project text not null,
  run_id text not null,
  at bigint not null,
  query text not null,
  hits bigint not null
);
create index recalls_run on recalls (run_id, project, id);
create index recalls_at on recalls (at);

-- the full-text indexes of recall, by the id of the indexed row; without fastupdate, which makes every search
-- read a list of pending entries
create table decision_terms (
  id bigint primary key,
  terms tsvector not null
);
create index decision_terms_gin on decision_terms using gin (terms) with (fastupdate = off);

create table preference_terms (
  id bigint primary key,
  terms tsvector not null
);
create index preference_terms_gin on preference_terms using gin (terms) with (fastupdate = off);

create table note_terms (
  id bigint primary key,
  terms tsvector not null
);
create index note_terms_gin on note_terms using gin (terms) with (fastupdate = off);

create table guidance_terms (
  id bigint primary key,
  terms tsvector not null
);
create index guidance_terms_gin on guidance_terms using gin (terms) with (fastupdate = off);

create table event_terms (
  id bigint primary key,
  terms tsvector not null
);
create index event_terms_gin on event_terms using gin (terms) with (fastupdate = off);

-- the analyzer version of the terms of each recall index; null: the program that opens the database records
-- its own. `pending`: documents with smaller ids still have the terms of an older version, and the server
-- rebuilds them in the background
create table recall_indexes (
  kind text primary key,
  analyzer bigint,
  pending bigint,
  changed_at bigint not null
);
insert into recall_indexes (kind, changed_at)
  select column1, (extract(epoch from now()) * 1000000)::bigint
  from (values ('decision'), ('preference'), ('note'), ('guidance'), ('event')) as kinds;

-- all indexed words, and their trigrams, for suggestions for a mistyped word
create table words (
  form text collate "C" primary key
);

create table word_grams (
  gram text collate "C" not null,
  form text collate "C" not null,
  primary key (gram, form)
);

-- the words of the texts of a project, for its readers only; '' for texts that every caller can read
create table project_words (
  project text collate "C" not null,
  form text collate "C" not null,
  primary key (project, form)
);

-- the languages of indexed texts besides English: recall stems a query only in these
create table text_languages (
  code text not null primary key
);

-- -------------------- library --------------------

create table assets (
  id text collate "C" primary key,
  project text not null,
  issue bigint,
  pr bigint,
  title text not null,
  description text,
  kind text not null,
  mime text not null,
  size bigint not null,
  sha256 text not null,
  width bigint,
  height bigint,
  duration_ms bigint,
  version bigint not null,
  root_id text not null,
  parent_id text unique,
  status text not null,
  waiting bigint not null,
  key text,
  has_thumb boolean not null,
  bundle_index text,
  created_by text not null,
  created_at bigint not null,
  reviewed_by text,
  reviewed_at bigint,
  review_note text,
  public_url text,
  expires_at bigint,
  tags jsonb not null,
  -- JSON text of the asset without its signed URLs; null when it has to be rendered again
  wire text,
  run_id text,
  -- the voter that uploaded it, whatever `created_by` says
  uploader text,
  -- the variant set of an asset, by its name within the project
  "set" text,
  -- the rejected asset that the file repeats, as JSON; null if there is none
  repeats jsonb,
  unique (root_id, version)
);
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
  id text primary key,
  project text not null,
  key text not null,
  content_type text not null,
  size bigint,
  sha256 text,
  expires_at bigint not null,
  -- length: the size announced by a resumable upload; token: who reserved it, for the limit of open uploads
  length bigint,
  token text,
  -- multipart_id: the multipart upload in the bucket, if the file is sent in parts; is_final: the file is at
  -- its final key, with this size and sha256
  multipart_id text,
  is_final boolean not null default false
);
create index uploads_expiring on uploads (expires_at);

-- the received pieces of resumable uploads; the primary key lets one of two writers at an offset win
create table upload_segments (
  upload_id text not null,
  position bigint not null,
  size bigint not null,
  name text not null,
  sha256 text not null,
  primary key (upload_id, position)
);

-- the files of a bundle as its reviewed zip contains them; the index finds the bundle of a file
create table bundle_files (
  asset text not null,
  path text not null,
  size bigint not null,
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
  version bigint not null,
  sha256 text not null,
  n bigint not null,
  parent_id text,
  body text not null,
  weight text not null,
  rank bigint not null,
  "by" text not null,
  reader text not null,
  origin text not null,
  created_at bigint not null,
  state text not null,
  state_by text,
  state_at bigint,
  addressed_in text,
  reopened bigint not null default 0,
  honoured_version bigint,
  urgent_at bigint,
  target text
);
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
  at bigint not null,
  is_open boolean not null,
  primary key (asset, voter)
);
create index verdicts_open on verdicts (voter, asset) where is_open;

-- who has to approve the assets of a project and kind
create table review_policies (
  project text not null,
  kind text not null,
  need text not null,
  changed_by text not null,
  changed_at bigint not null,
  primary key (project, kind)
);

-- every version of each checklist; the last one counts, and without items it was removed
create table checklists (
  project text not null,
  kind text not null,
  version bigint not null,
  items text not null,
  changed_by text not null,
  changed_at bigint not null,
  primary key (project, kind, version)
);

-- the projects that refuse files that they have rejected
create table repeat_policies (
  project text not null primary key,
  changed_by text not null,
  changed_at bigint not null
);

-- the open review requests; sort_at is due_at, or the greatest integer without one
create table review_requests (
  asset text not null primary key,
  project text not null,
  sha256 text not null,
  asked_by text not null,
  reviewers text not null,
  question text,
  due_at bigint,
  sort_at bigint not null,
  created_at bigint not null,
  remind_at bigint,
  reminders bigint not null default 0,
  reminded_at bigint
);
create index review_requests_due on review_requests (sort_at, asset);
create index review_requests_project on review_requests (project, sort_at, asset);
create index review_requests_remind on review_requests (remind_at) where remind_at is not null;

-- a row for each reviewer of an open request; '' stands for everyone who can review
create table requested_reviewers (
  reviewer text not null,
  project text not null,
  sort_at bigint not null,
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
  expires_at bigint not null,
  passphrase text,
  allow_download boolean not null,
  created_by text not null,
  creator text,
  created_at bigint not null,
  revoked_at bigint,
  revoked_by text,
  reviewer text,
  views bigint not null default 0,
  -- whether the link shows the annotations of the team, or only those that came through it
  annotations text not null default 'own'
);
create unique index shares_hash on shares (hash);
create index shares_created on shares (created_at, id);
create index shares_project on shares (project, created_at, id);
create index shares_root on shares (root_id, created_at, id);

-- how people used a link; entries with the same slot are counted in one row
create table share_views (
  share text not null,
  slot text not null,
  at bigint not null,
  action text not null,
  count bigint not null default 1,
  name text,
  network text not null,
  asset text,
  sha256 text,
  primary key (share, slot)
);
create index share_views_listed on share_views (share, at, slot);
create index share_views_at on share_views (at);

-- passphrases that were tried in the last hour
create table share_attempts (
  id text not null primary key,
  share text not null,
  client text not null,
  at bigint not null
);
create index share_attempts_share on share_attempts (share, at);

-- -------------------- overview --------------------

-- up to where each person has read what happened: the `ts` of an event
create table read_markers (
  reader text not null primary key,
  ts bigint not null
);

-- what each person marked as done in the inbox, or snoozed: an item is hidden if its cause is not newer than
-- at, until the snooze ends; until is null when it is done
create table inbox_marks (
  reader text not null,
  item text not null,
  at bigint not null,
  until bigint,
  primary key (reader, item)
);

-- -------------------- integrations --------------------

create table outbox (
  id bigint generated always as identity primary key,
  marker text not null unique,
  repo text not null,
  number bigint not null,
  body text not null,
  attempts bigint not null default 0,
  due_at bigint not null,
  created_at bigint not null,
  -- where the comment goes, and whether `number` is that of a pull request
  forge text not null default 'github',
  host text not null default 'github.com',
  is_pull boolean not null default false
);
create index outbox_due on outbox (due_at);

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

-- ranges of the log that are sent again
create table webhook_replays (
  id text not null primary key,
  webhook text not null,
  project text,
  cursor bigint not null,
  until bigint not null
);
create index webhook_replays_webhook on webhook_replays (webhook);

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
create index webhook_lanes_failing on webhook_lanes (failing_since) where failing_since is not null;

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
create index webhook_deliveries_outcome on webhook_deliveries (webhook, outcome, id);

-- processes that deliver; the webhooks that a process has leased are its own until this time
create table webhook_nodes (
  id text not null primary key,
  until bigint not null
);

-- email digests: covered_until is the end of the last period, due_at that of the next, next_at the
-- time of the next attempt
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
create index email_digests_next on email_digests (next_at) where status = 'active';

-- telemetry that fits no project, by source and reason: a handful of rows, and nothing of what was sent
create table unplaced (
  source text not null,
  reason text not null,
  count bigint not null,
  token text not null,
  last_at bigint not null,
  primary key (source, reason)
);

-- -------------------- core --------------------

create table tokens (
  name text collate "C" primary key,
  hash text not null unique,
  scopes jsonb not null,
  projects jsonb,
  created_at bigint not null,
  expires_at bigint,
  revoked_at bigint,
  last_used_at bigint,
  -- the token that `svc token rotate` replaced, and until when it is still valid
  previous_hash text,
  previous_until bigint,
  -- the role that its reviews count for
  review_role text,
  -- the role that the token was created with; null: it was created with scopes
  role text,
  -- when a hook or an MCP session of an agent first used the token; null: none has yet
  agent_at bigint
);
create unique index tokens_previous on tokens (previous_hash) where previous_hash is not null;

-- browsers that are signed in, by the hash of their cookie
create table sessions (
  hash text not null primary key,
  actor text not null,
  token text,
  opened_at bigint not null,
  expires_at bigint not null,
  from_link boolean not null default false,
  -- the hashes of the tokens that created the sign-in link: the session ends with each of them
  created_with text,
  email text
);
create index sessions_expires on sessions (expires_at);

-- one-time links, by the hash of their secret; a row is deleted when its link is used
create table sign_in_links (
  hash text not null primary key,
  actor text not null,
  expires_at bigint not null,
  -- the name of the token that it signs in with; null: as an admin
  token text,
  -- the hash of the token that created it, with which it ends
  created_with text,
  -- the address that a new link can be sent to once the session of this one has expired
  email text
);

-- one row for each request that wrote; refusals with the same `slot` (client and minute) are counted in one
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
create unique index audit_slot on audit (slot) where slot is not null;

-- requests of each client in the current rate-limit window, counted by all processes; may be lost in a crash
create unlogged table request_windows (
  client text not null primary key,
  used bigint not null,
  ends_at bigint not null
);
create index request_windows_ended on request_windows (ends_at);

create table settings (
  name text primary key,
  value text not null
);

-- one row: the id of this deployment, and the location of the database when the id was created, which a copy
-- does not have
create table deployment (
  one integer not null primary key check (one = 1),
  id text not null,
  location text not null
);
