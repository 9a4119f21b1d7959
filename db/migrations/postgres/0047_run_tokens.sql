-- the token that reports a run, until its end: what it makes without naming the run belongs to it
alter table runs add column token text;
--> statement-breakpoint
create index runs_token on runs (token, project, listed_at) where token is not null;
