-- the branch that a run works on, and the titles of tasks: the events that opened them
alter table runs add column branch text;
--> statement-breakpoint
create index events_issue_opened on events (project, issue, ts) where kind = 'issue.opened';
--> statement-breakpoint
create index events_pr_opened on events (project, pr, ts) where kind = 'pr.opened';
