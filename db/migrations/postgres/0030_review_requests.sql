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
)
--> statement-breakpoint
create index review_requests_due on review_requests (sort_at, asset)
--> statement-breakpoint
create index review_requests_project on review_requests (project, sort_at, asset)
--> statement-breakpoint
create index review_requests_remind on review_requests (remind_at) where remind_at is not null
--> statement-breakpoint
-- a row for each reviewer of an open request; '' stands for everyone who can review
create table requested_reviewers (
  reviewer text not null,
  project text not null,
  sort_at bigint not null,
  asset text not null,
  primary key (reviewer, sort_at, asset)
)
--> statement-breakpoint
create index requested_reviewers_asset on requested_reviewers (asset)
