-- budgets count the work of a team or a person, or of any
alter table budgets add column team text;
alter table budgets add column person text;
drop index budgets_scope;
create unique index budgets_scope on budgets (
  coalesce(project, ''), coalesce(team, ''), coalesce(person, ''), coalesce(lane, ''), coalesce(model, ''), period
);
