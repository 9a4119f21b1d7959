-- the issue that a pull request belongs to, by the events that name both: the newest event of the pull request itself
-- or, without one, the first other event
create table pull_request_issues (
  project text not null,
  pr bigint not null,
  issue bigint not null,
  rank bigint not null,
  primary key (project, pr)
);
--> statement-breakpoint
create index pull_request_issues_issue on pull_request_issues (issue, project, pr);
--> statement-breakpoint
-- runs that name both
create index runs_both on runs (project, pr, listed_at) where issue is not null and pr is not null;
--> statement-breakpoint
insert into pull_request_issues (project, pr, issue, rank)
  select project, pr, issue, rank from (
    select project, pr, issue, rank, row_number() over (partition by project, pr order by rank desc) as place from (
      select project, pr, issue,
        case when kind in ('pr.opened', 'pr.review', 'pr.merged', 'pr.closed') then ts else -ts end as rank
      from events where project is not null and issue is not null and pr is not null) as ranked) as placed
  where place = 1;
