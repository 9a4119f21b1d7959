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
--> statement-breakpoint
create unique index budgets_scope on budgets (coalesce(project, ''), coalesce(lane, ''), coalesce(model, ''), period);
--> statement-breakpoint
-- what each budget has spent in a period, by the first day of the period, and the highest threshold that was told
create table budget_periods (
  budget integer not null,
  start text not null,
  spent real not null,
  notified integer not null,
  primary key (budget, start)
) strict, without rowid;
--> statement-breakpoint
-- changes with the budgets, so that an append knows without a further read whether it has them in its cache
alter table listed add column budgets integer not null default 0;
