-- filters of few events each: a page of an issue is a range of its index, and the project is checked there
create index events_issue on events (issue, ts, project) where issue is not null;
--> statement-breakpoint
create index events_pr on events (pr, ts, project) where pr is not null;
