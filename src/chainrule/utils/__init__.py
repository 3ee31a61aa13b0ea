"""torch.utils: data loading, hooks' handles and other helpers of programs."""
