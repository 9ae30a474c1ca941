#error "not in the list"
