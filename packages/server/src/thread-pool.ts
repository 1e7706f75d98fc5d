// Imported first by what is run, before anything asks the pool. Half of its threads at most resolve names, the whole process's:
// hosts that hang while their names are looked up would take the default four with two lookups, and everybody's with them. So
// there is one for each request that may be underway by default, and as many again. An idle thread costs some 10 kB.
process.env.UV_THREADPOOL_SIZE ??= '128'
