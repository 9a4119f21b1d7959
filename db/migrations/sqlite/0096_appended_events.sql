-- An append marks the tasks of pull requests itself: a trigger makes SQLite keep the former content of every page
-- that an insert changes.
drop trigger tasks_event_added;

-- A page of a kind reads `events_kind`. This one held the text of most events a second time.
drop index events_of_kind;
