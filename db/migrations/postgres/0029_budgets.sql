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
--> statement-breakpoint
create unique index budgets_scope on budgets (coalesce(project, ''), coalesce(lane, ''), coalesce(model, ''), period);
--> statement-breakpoint
-- what each budget has spent in a period, by the first day of the period, and the highest threshold that was told
create table budget_periods (
  budget bigint not null,
  start text collate "C" not null,
  spent double precision not null,
  notified bigint not null,
  primary key (budget, start)
);
--> statement-breakpoint
-- changes with the budgets, so that an append knows without a further read whether it has them in its cache
alter table listed add column budgets bigint not null default 0;
