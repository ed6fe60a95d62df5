# on the primary: a commit waits until one of two standbys has it on its disk
psql -c "alter system set synchronous_standby_names = 'ANY 1 (one, two)'" -c 'select pg_reload_conf()'

# on each standby, with a name of its own
pg_basebackup -D "$PGDATA" -R -d 'host=db1.internal user=replicator application_name=one'

# for the service: all hosts, of which it uses the one that takes writes
export FAREBOX_DATABASE_URL='postgres://farebox:secret@db1.internal,db2.internal,db3.internal/farebox?target_session_attrs=read-write'
farebox-service --port 4020

# once the primary has died, and cannot come back by itself
pg_ctl promote -D "$PGDATA"
