-- an append marks the tasks of pull requests itself
drop trigger tasks_event_added on events;
