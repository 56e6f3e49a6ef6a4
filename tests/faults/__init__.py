"""What a deployment has to survive, done to real processes over a real server; every run is judged by its own trace.

`make test-slow` runs these tests once; `make faults TIMES=20` runs them so many times in a row, each time with another
seed. A test that fails prints the command that runs it again with its seed. Instants of death are not chosen, but
found: the seed gives the pauses between blows, the machine does the rest.

| what is done | to nodes | to stations and hosts |
|---|---|---|
| kill -9, one after the other and all at once | `test_nodes` | `test_stations` |
| the server is killed, ended, and stopped for longer than every timeout | `test_nodes` | `test_stations` |
| SIGSTOP for longer than every timeout | `test_nodes` | `test_stations` |
| SIGSTOP while a clone of its store is started | `test_clones` | |
| links to the server: cut, swallowing, slow | `test_nodes` | `test_stations` |
| links between hosts and stations: cut, swallowing, slow | | `test_stations` |
| a cluster of three servers over TLS: killed, stopped, all at once | `test_cluster` | |
| the network between the servers of a cluster is cut | `test_cluster` | |
| `leave` is interrupted, again and again; a process is given up by others that are killed | `test_leaving` | |
| power cuts of a process, and of the server | `test_power`, `test_power_of_the_server` | `test_power_of_stations` |
| power cuts of a machine with a process and the server | `test_power_of_the_machine` | |
| 100,000 messages of backlog | `test_backlog` | |
| 5,000 connected hosts whose station is killed | | `test_many_hosts` |
| clocks that jump | `test_clocks` | `test_clocks` |
| a full disk | `test_disk` | `test_disk` |
| frames of a host that somebody recorded are played again | | `test_recorded_frames` |

Hosts move about in every test that has any.
"""
