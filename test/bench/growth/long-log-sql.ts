/**
 * The long log as Postgres generates it: with the shares, names, and runs of `longLogEvent`, by dice of its
 * own. To render and copy each event, as for SQLite, would take a day for a hundred million.
 */

import { dayMicros } from "../../../src/core/lib/time.ts";
import { endKinds } from "../../../src/feed/runs/rule.ts";
import { openingKinds, openingTerm, searchableEventKinds } from "../../../src/memory/schema.ts";
import {
  apartOf,
  failing,
  firstAt,
  inactive,
  kinds,
  lanes,
  models,
  people,
  projectCount,
  rareEvery,
  runLength,
  runsAtOnce,
  tasksOf,
  things,
  verbs,
} from "./long-log.ts";

const list = (texts: readonly string[]): string => `'{${texts.join(",")}}'::text[]`;
export const among = (texts: Iterable<string>): string => `in ('${[...texts].join("', '")}')`;
/** From 0. */
const dice = (of: string, salt: number, sides: number): string =>
  `((hashint8extended(${of}, ${salt}) & ${Number.MAX_SAFE_INTEGER}) % ${sides})`;
const oneOf = (of: string, salt: number, texts: readonly string[]): string =>
  `(${list(texts)})[1 + ${dice(of, salt, texts.length)}]`;

const blockLength = runsAtOnce * runLength;

/** Events from one index until another of a log that will have `count`, in order, as a subquery. */
export function generatedEvents(first: number, until: number, count: number): string {
  // `offset 0`: else Postgres would compute a column again for each column that is made of it.
  return `(
    select *, case when is_rare then 'run.failed' else usual_kind end as kind,
      case when usual_kind like 'pr.%' and not is_rare then issue end as pr,
      case when is_working and not is_rare then 'run-' || run end as run_id,
      case when is_working then 'agent:' || project || '-' || agent else person end as actor,
      case when is_working then model_name end as model,
      case when is_working then duration end as duration_ms,
      case when is_working then input else 0 end as tokens_in,
      case when is_working then output else 0 end as tokens_out,
      case when is_working then output::float8 / 10000 else 0 end as cost_equiv,
      verb || ' the ' || thing || ' for #' || issue
        || case when is_rare then ', as the heliograph reported' else '' end as summary
    from (
      select *, usual_kind = 'step.usage' or usual_kind like 'run.%' as is_working
      from (
        select index, index + 1 as id, ${firstAt} + index * ${apartOf(count)} as ts, run,
          index % ${rareEvery(count)} = 7 as is_rare,
          case when index / ${blockLength} * ${blockLength} < ${count / 2} and share >= 80 then '${inactive}'
            else 'project-' || case when share < 60 then share % 2
              else 2 + ${dice("run", 3, projectCount - 3)} end end as project,
          case place when 0 then 'run.started'
            when ${runLength - 1} then case run % ${failing} when 0 then 'run.failed' else 'run.finished' end
            else ${oneOf("index", 2, kinds)} end as usual_kind,
          ${oneOf("index", 4, verbs)} as verb, ${oneOf("index", 5, things)} as thing,
          1 + ${dice("run", 6, tasksOf(count))} as issue, ${dice("run", 7, 4)} as agent,
          ${oneOf("run", 8, people)} as person, ${oneOf("run", 10, lanes)} as lane,
          ${oneOf("run", 11, models)} as model_name,
          ${dice("index", 12, 90_000)} as input, ${dice("index", 13, 4_000)} as output,
          ${dice("index", 14, 300_000)} as duration
        from (
          select index, run, place, ${dice("run", 1, 100)} as share from (
            select index, index / ${blockLength} * ${runsAtOnce} + index % ${runsAtOnce} as run,
              index % ${blockLength} / ${runsAtOnce} as place
            from generate_series(${first}::bigint, ${until - 1}::bigint) as index offset 0) as placed
          offset 0) as shared
        offset 0) as drawn
      offset 0) as worked
    offset 0) as e`;
}

/** As src/feed/render-event.ts renders it. */
const wire = `concat('{"id":', id, ',"ts":"',
  replace((timestamp 'epoch' + ts / 1000000 * interval '1 second')::text, ' ', 'T'),
  '.000000Z","kind":"', kind, '","actor":"', actor, '","summary":"', summary, '","project":"', project,
  '","repo":"acme/', project, '","issue":', issue, ',"pr":', coalesce(pr::text, 'null'), ',"lane":"', lane,
  '","model":', coalesce('"' || model || '"', 'null'), ',"subscription":null,"tokens_in":', tokens_in,
  ',"tokens_out":', tokens_out, ',"cache_read":0,"cache_write":0,"cost_equiv":', cost_equiv,
  case when cost_equiv > 0 then ',"cost_source":"reported"' end,
  ',"duration_ms":', coalesce(duration_ms::text, 'null'), ',"url":"https://github.com/acme/', project,
  '/issues/', issue, '"', ',"run_id":"' || run_id || '"', '}')`;

const key = "'grown:' || index";

export const insertEvents = (table: string, events: string): string =>
  `insert into ${table} (ts, id, kind, actor, project, issue, pr, lane, run_id, dedupe_key, wire)
    select ts, id, kind, actor, project, issue, pr, lane, run_id, ${key}, ${wire} from ${events}`;

export const insertKeys = (events: string): string =>
  `insert into event_keys (id, ts, dedupe_key) select id, ts, ${key} from ${events}`;

export const insertFacetEvents = (events: string): string =>
  `insert into facet_events (facet, ts) select f.id, e.ts from ${events}
    join facets as f using (project, kind, actor, lane)`;

/** Those of runs, by their rank in src/feed/runs/fold.ts. */
const runKinds = ["run.started", "step.usage", "run.finished", "run.failed"];
/** All that there can be. */
const insertFacets = `insert into facets (id, project, kind, actor, lane, team, person)
  overriding system value
  select row_number() over (), slug, kind, actor, lane, '', '' from projects
  cross join unnest(${list([...new Set([...runKinds, ...kinds])])}) as kind
  cross join unnest(${list(lanes)}) as lane
  cross join lateral (
    select 'agent:' || slug || '-' || agent as actor from generate_series(0, 3) as agent
    union all select unnest(${list(people)})) as actors`;

const ends = among(endKinds);
const sums = `count(*) filter (where kind ${ends}), count(*) filter (where kind = 'run.failed'),
  count(*) filter (where kind = 'pr.merged'), sum(tokens_in), sum(tokens_out), 0, 0, sum(cost_equiv)`;
/** Grouped by its number: to make the text of each event would cost as much as its sums. */
const dayNumber = `(ts / ${dayMicros})::int`;
const day = `to_char(date '1970-01-01' + ${dayNumber}, 'YYYY-MM-DD')`;
const sumNames = "runs, failures, merges, tokens_in, tokens_out, cache_read, cache_write, cost_equiv";
const counted = `where is_working or is_rare or kind = 'pr.merged' group by ${dayNumber},`;

/** Of whole days. */
export const insertUsage = (events: string): string =>
  `insert into usage (project, day, lane, model, ${sumNames})
    select project, ${day}, lane, coalesce(model, ''), ${sums} from ${events} ${counted} project, lane, model`;

/** Of whole days. */
export const insertTaskUsage = (events: string): string =>
  `insert into task_usage (project, day, actor, issue, pr, ${sumNames})
    select project, ${day}, actor, issue, 0, ${sums} from ${events} ${counted} project, actor, issue`;

/** Of whole runs, as src/feed/runs/fold.ts folds their events. */
export const insertRuns = (events: string): string => `
  insert into runs (id, project, issue, actor, models, lane, status, started_at, ended_at, last_event_at,
    listed_at, duration_ms, steps, tokens_in, tokens_out, cache_read, cache_write, cost_equiv, summary, assets,
    decisions, marks)
  select 'run-' || run, project, issue, actor, format('["%s"]', model), lane,
    case last_kind when 'run.failed' then 'failed' when 'run.finished' then 'finished' else 'running' end,
    first_at, ended_at, last_at, listed_at, duration_ms, steps, tokens_in, tokens_out, 0, 0, cost_equiv,
    summary, 0, 0,
    jsonb_strip_nulls(jsonb_build_object(
      'state', case when state_at is not null then jsonb_build_array(state_at, state_rank) end,
      'token', case when state_at is not null then jsonb_build_array(0, state_at, state_rank) end,
      'summary', jsonb_build_array(1, last_at, last_rank), 'issue', first_at, 'lane', last_at,
      'actor', case when steps > 0 then jsonb_build_array(0, first_step_at)
        else jsonb_build_array(1, first_at) end,
      'listed', case when is_listed then true end, 'reported', duration_ms))::text
  from (
    select run, min(project) as project, min(issue) as issue, min(actor) as actor, min(model) as model,
      min(lane) as lane, min(ts) as first_at, max(ts) as last_at,
      max(kind) filter (where ts = last_ts) as last_kind, max(rank) filter (where ts = last_ts) as last_rank,
      max(summary) filter (where ts = last_ts) as summary,
      max(ts) filter (where kind ${ends}) as ended_at,
      max(duration_ms) filter (where kind ${ends}) as duration_ms,
      max(ts) filter (where kind <> 'step.usage') as state_at,
      max(rank) filter (where kind <> 'step.usage') as state_rank,
      coalesce(max(ts) filter (where is_newest and kind <> 'step.usage'),
        min(ts) filter (where is_newest)) as listed_at,
      bool_or(is_newest and kind <> 'step.usage') as is_listed,
      count(*) filter (where kind = 'step.usage') as steps,
      min(ts) filter (where kind = 'step.usage') as first_step_at,
      sum(tokens_in) as tokens_in, sum(tokens_out) as tokens_out, sum(cost_equiv) as cost_equiv
    from (
      select *, ts / 60000000 = last_ts / 60000000 as is_newest from (
        select *, max(ts) over (partition by run) as last_ts,
          array_position(${list(runKinds)}, kind) - 1 as rank
        from ${events} where run_id is not null) as named) as placed
    group by run) as folded`;

/** The number of the task that samples are about. */
export const sampledIssue = 777_777;
/** The terms of events of all projects and phrases, as svc indexed them. */
const makeSamples = `create unlogged table samples as
  select project, split_part(wire::json ->> 'summary', ' for #', 1) as phrase,
    wire like '%heliograph%' as is_rare, terms::text from events join event_terms using (id)`;
const opening = `case when kind ${among(openingKinds)} then ' ''${openingTerm}''' else '' end`;
export const insertTerms = (events: string): string =>
  `insert into event_terms (id, terms)
    select e.id, (replace(s.terms, '${sampledIssue}', issue::text) || ${opening})::tsvector
    from (select *, split_part(summary, ' for #', 1) as phrase from ${events}
      where kind ${among(searchableEventKinds)}) as e
    join samples as s using (project, phrase, is_rare)`;

/** What issues, pull requests, tasks, and projects are made from. */
const makeIssueSums = `create unlogged table issue_sums (project text, issue bigint, events bigint,
  newest bigint, opened bigint, told bigint, pr_at bigint, pull bigint)`;
export const insertIssueSums = (events: string): string => `
  insert into issue_sums select project, issue, count(*), max(ts), max(ts) filter (where kind = 'issue.opened'),
      max(ts * 2 + (kind = 'issue.opened')::int) filter (where kind in ('issue.opened', 'issue.closed')),
      max(ts) filter (where pr is not null),
      max(ts * 2 + (kind = 'pr.merged')::int) filter (where kind in ('pr.opened', 'pr.merged'))
    from ${events} group by 1, 2`;

/** What the rows of tables are made from. */
export const prepare = [
  makeSamples,
  makeIssueSums,
  "truncate facets, facet_events",
  insertFacets,
  "analyze facets, samples",
];

/** As src/overview/tasks/stage.ts says of tasks without assets. */
const insertTasks = `insert into tasks (project, issue, pr, stage, state, live_at, listed_at, opened_at, runs,
    cost_equiv)
  select project, issue, 0, case when pull_state = 'open' and pull_at > done then 'waiting'
      when done > 0 and not (state = 'open' and issue_at > done) then
        case when pull_state = 'merged' then 'merged' else 'closed' end
      when worked_at > issue_at then 'stopped' else 'requested' end,
    state, live_at, listed_at, coalesce(opened, listed_at), runs, cost_equiv
  from (
    select *, greatest(case when pull_state = 'merged' then pull_at end, case when state = 'closed' then issue_at end,
        0) as done, coalesce(run_listed_at, greatest(opened, issue_at, pull_at)) as listed_at
    from (
      select project, issue, opened, coalesce(told / 2, 0) as issue_at,
        case told % 2 when 1 then 'open' when 0 then 'closed' end as state, pull / 2 as pull_at,
        case pull % 2 when 1 then 'merged' when 0 then 'open' end as pull_state,
        coalesce(runs, 0) as runs, coalesce(cost_equiv, 0) as cost_equiv, coalesce(last_event_at, 0) as worked_at,
        live_at, run_listed_at
      from (select project, issue, max(opened) as opened, max(told) as told, max(pull) as pull
        from issue_sums group by 1, 2) as told
      left join (select project, issue, count(*) as runs, sum(cost_equiv) as cost_equiv,
          max(last_event_at) as last_event_at, max(listed_at) as run_listed_at,
          max(last_event_at) filter (where status = 'running') as live_at
        from runs group by 1, 2) as ran using (project, issue)
      where runs > 0 or told is not null or pull is not null) as named) as staged`;

/** What is left once all tables have their rows. */
export const finish = [
  "delete from facets where not exists (select 1 from facet_events where facet = facets.id)",
  "select setval(pg_get_serial_sequence('facets', 'id'), max(id)) from facets",
  "truncate issues, pull_request_issues, tasks, task_counts",
  `insert into issues (project, number, ts, open)
    select project, issue, max(told) / 2, max(told) % 2 = 1 from issue_sums where told is not null group by 1, 2`,
  `insert into pull_request_issues (project, pr, issue, rank)
    select project, issue, issue, max(pr_at) from issue_sums where pr_at is not null group by 1, 2`,
  insertTasks,
  // svc derives the tasks that have assets.
  "truncate stale_tasks",
  "insert into stale_tasks select distinct project, issue, 0 from assets where issue is not null",
  `update projects set events_count = coalesce(events, 0), last_activity = newest,
      open_issues = (select count(*) from issues as i where i.project = p.slug and open)
    from projects as p left join (select project, sum(events) as events, max(newest) as newest
      from issue_sums group by 1) as summed on summed.project = p.slug where p.slug = projects.slug`,
  "drop table samples, issue_sums",
];
